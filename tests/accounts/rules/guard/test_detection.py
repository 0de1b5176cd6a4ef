"""What is refused as a secret and what is not. Each secret is drawn when the test runs: none stands in this file."""

import base64
import random
import string
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.rules.guard.detection import ENCODED, SECRET, Finding, find_secrets, masked, redact_secrets, secret_values
from accounts.rules.guard.drawn import looks_random
from accounts.rules.guard.patterns import TABLE
from accounts.rules.guard.stand_ins import is_made_up, is_public, is_sealed, stands_in
from tests.cases import cases

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM, HEX, URLSAFE = UPPER + LOWER + DIGITS, "0123456789abcdef", UPPER + LOWER + DIGITS + "_-"


def drawn(length: int, alphabet: str = ALNUM) -> str:
    """A value as a machine draws one; the same on every run, and with a digit in it."""
    rng = random.Random(f"{length} {alphabet}")
    return "".join(rng.choice(alphabet) for _ in range(length - 2)) + rng.choice(alphabet) + "7"


def uuid() -> str:
    return "-".join(drawn(n, HEX) for n in (8, 4, 4, 4, 12))


def b64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


PEM_BODY = "\n".join(drawn(64) for _ in range(4))
CHOSEN = "Kestrel" + "2024!x"
JWT = ".".join([b64('{"alg":"HS256","typ":"JWT"}'), b64('{"sub":"4711","role":"lead"}'), drawn(43, URLSAFE)])

# (name of the pattern, what stands before the secret, the secret)
SECRETS = [
    ("private key", "-----BEGIN RSA PRIVATE" + " KEY-----\n", PEM_BODY),
    ("private key", "-----BEGIN OPENSSH PRIVATE" + " KEY-----\n", PEM_BODY),
    ("private key", "-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\nVersion: GnuPG v2\n\n", PEM_BODY),
    ("private key", '"private_key": "-----BEGIN PRIVATE' + " KEY-----\\n", drawn(64) + "\\n" + drawn(64)),
    ("PuTTY private key", "Private-Lines: 8\n", drawn(64)),
    ("age secret key", "", "AGE-SECRET-KEY-" + "1" + drawn(58, UPPER + DIGITS)),
    ("AWS access key", "Use ", "AKIA" + "QWERTYUIOPASDFGH"),
    ("AWS access key", "aws_access_key_id = ", "ASIA" + drawn(16, UPPER + "234567")),
    ("AWS secret key", "aws_secret_access_key = ", drawn(40, ALNUM + "/+")),
    ("AWS secret key", 'AWS_SECRET_ACCESS_KEY: "', drawn(40)),
    ("Google API key", "key=", "AIza" + drawn(35, URLSAFE)),
    ("Google OAuth secret", "", "GOCSPX-" + drawn(28, URLSAFE)),
    ("Google service account", '{"type": "service_account", "private_key_id": "', drawn(40, HEX)),
    ("Azure storage key", "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=", drawn(86) + "=="),
    ("Azure signature", "https://acme.blob.core.windows.net/x?sv=2022&sig=", drawn(43) + "%3D"),
    ("Azure client secret", "", drawn(3) + "8Q~" + drawn(34, URLSAFE)),
    ("GitHub token", "token ", "ghp_" + drawn(36)),
    ("GitHub token", "", "gho_" + drawn(36)),
    ("GitHub token", "", "ghs_" + drawn(36)),
    ("GitHub token", "", "github_pat_" + drawn(22) + "_" + drawn(59)),
    ("GitLab token", "", "glpat-" + drawn(20, URLSAFE)),
    ("Slack token", "", "xoxb-" + drawn(12, "2468") + "-" + drawn(24)),
    ("Slack webhook", "https://hooks.slack.com/services/", f"T{drawn(8)}/B{drawn(10)}/{drawn(24)}"),
    ("Discord webhook", "https://discord.com/api/webhooks/" + drawn(18, "2468") + "/", drawn(68, URLSAFE)),
    ("Discord bot token", "", "M" + drawn(25) + "." + drawn(6) + "." + drawn(38, URLSAFE)),
    ("Stripe key", "", "sk_live_" + drawn(24)),
    ("Stripe key", "", "rk_live_" + drawn(24)),
    ("Anthropic key", "", "sk-ant-api03-" + drawn(93, URLSAFE)),
    ("OpenAI key", "", "sk-" + drawn(48)),
    ("OpenAI key", "", "sk-proj-" + drawn(64, URLSAFE)),
    ("npm token", "//registry.npmjs.org/:_authToken=", "npm_" + drawn(36)),
    ("PyPI token", "", "pypi-AgE" + drawn(80, URLSAFE)),
    ("SendGrid key", "", "SG." + drawn(22, URLSAFE) + "." + drawn(43, URLSAFE)),
    ("Twilio key", "", "SK" + drawn(32, HEX)),
    ("Mailgun or Mailchimp key", "", "key-" + drawn(32, HEX)),
    ("Telegram token", "bot", drawn(10, "2468") + ":AA" + drawn(33, URLSAFE)),
    ("Hugging Face token", "", "hf_" + drawn(34)),
    ("DigitalOcean token", "", "dop_v1_" + drawn(64, HEX)),
    ("Heroku key", "HEROKU_API_KEY=", uuid()),
    ("Datadog key", "DD_API_KEY=", drawn(32, HEX)),
    ("Loam token", "Authorization: ", "loam_" + drawn(8, HEX) + "_" + drawn(43, URLSAFE)),
    ("Vault token", "", "hvs." + drawn(90, URLSAFE)),
    ("Databricks token", "", "dapi" + drawn(32, HEX)),
    ("Shopify or Square token", "", "shpat_" + drawn(32, HEX)),
    ("Terraform token", "", drawn(14) + ".atlasv1." + drawn(67)),
    ("service token", "", "dckr_pat_" + drawn(27, URLSAFE)),
    ("service token", "", "glsa_" + drawn(32) + "_" + drawn(8, HEX)),
    ("JSON web token", "cookie: ", JWT),
    ("connection string", "postgres://loam:", drawn(16)),
    ("connection string", "DATABASE_URL=postgresql+psycopg://loam:", "kestrel"),
    ("connection string", "mongodb+srv://app:", CHOSEN),
    ("connection string", "redis://:", drawn(20)),
    ("connection string", "amqps://worker:", drawn(12)),
    ("connection string", "mysql://root:", "fr0sch"),
    ("connection string", "git clone https://ann:", drawn(20)),
    ("authorization header", "Authorization: Bearer ", drawn(40)),
    ("authorization header", 'headers = {"Authorization": "Bearer ', drawn(32, HEX)),
    ("basic authorization", "Authorization: Basic ", base64.b64encode(f"ann:{CHOSEN}".encode()).decode()),
    ("password on a command line", "curl -s -u ann:", CHOSEN),
    ("password on a command line", "mysql -h db -u ann -p", CHOSEN),
    ("password on a command line", "openssl rsa -in key.pem -passin pass:", CHOSEN),
    ("secret in an assignment", "tool -proxy-pass=", CHOSEN),
    ("password on a command line", "echo ann:", CHOSEN),
    ("connection string", "dsn = ann:", CHOSEN),
    ("Firebase key", "", "AAAA" + drawn(7) + ":APA91b" + drawn(134, URLSAFE)),
    ("token with a prefix", "", "sb_se" + "cret_" + drawn(31)),
    ("token with a prefix", "", "acme_" + drawn(40)),
    ("service token", "", "pul" + "-" + drawn(40, HEX)),
    ("Kubernetes secret", "kind: Secret\ndata:\n  value: ", base64.b64encode(CHOSEN.encode()).decode()),
    ("Kubernetes secret", "kind: Secret\nstringData:\n  value: ", CHOSEN),
    ("secret in a table", "| user | password |\n|---|---|\n| ann | ", CHOSEN),
    ("pgpass entry", "db.acme.io:5432:shop:ann:", "kestrel9"),
    ("netrc entry", "machine acme.io login ann password ", "kestrel9"),
    ("password hash", "ann:", "$2" + "y$10$" + drawn(53)),
    ("password hash", "ann:", "{SHA}" + drawn(27) + "="),
    ("private member of a JSON web key", '{"kty": "RSA", "n": "x", "d": "', drawn(86, URLSAFE)),
    ("session cookie", "Cookie: lang=en; sessionid=", drawn(32)),
    ("webhook address", "https://acme.webhook.office.com/b2/", drawn(32, HEX) + "/" + drawn(32, HEX)),
    ("signature in an address", "https://fn.acme.io/api/run?code=", drawn(54)),
    ("password in SQL", "CREATE USER ann IDENTIFIED BY '", CHOSEN),
    ("secret in an assignment", "ALTER USER ann WITH PASSWORD '", "kestrel9"),
    ("password in a sentence", "le mot de passe est ", CHOSEN),
    ("password in a sentence", "use ", CHOSEN),
    ("password of a pair", 'get(url, auth=("ann", "', CHOSEN),
    ("password of a pair", 'ConvertTo-SecureString "', CHOSEN),
    ("recovery phrase", 'MNEMONIC="', "orbit velvet canyon lobster mimic drift salad erupt hockey pupil trophy anchor"),
    ("encoded secret", "echo ", base64.b64encode(f"DB_PASSWORD={CHOSEN}".encode()).decode()),
    ("encoded secret", "echo ", base64.b64encode(base64.b64encode(f"x: ghp_{drawn(36)}".encode())).decode()),
    ("encoded secret", "echo ", f"password={CHOSEN}".encode().hex()),
    ("encoded secret", "url=", "postgres%3A%2F%2Fapp%3A" + drawn(16) + "%40db.acme.io"),
    ("secret in an assignment", "the admin password is ", CHOSEN),
    ("secret in an assignment", "DEPLOY_PAT=", drawn(40)),
    ("secret in an assignment", "RAILS_MASTER_KEY=", drawn(32, HEX)),
    ("secret in an assignment", "<password>", CHOSEN),
    ("secret in an assignment", "vercel deploy --token ", drawn(24)),
    ("secret in an assignment", 'os.environ["API_TOKEN"] = "', drawn(32)),
    ("secret in an assignment", 'props.put("db.password", "', CHOSEN),
    ("secret in an assignment", "- name: DB_PASSWORD\n    value: ", CHOSEN),
    ("secret in an assignment", "password = '", CHOSEN),
    ("secret in an assignment", "DB_PASSWORD=", "Kestrel" + "2024"),
    ("secret in an assignment", "Server=tcp:acme;Uid=app;Pwd=", CHOSEN),
    ("secret in an assignment", "password: ", "tr0ub4dor3x"),
    ("secret in an assignment", '"api_key": "', drawn(32, HEX)),
    ("secret in an assignment", "client_secret=", drawn(40, URLSAFE)),
    ("secret in an assignment", "SECRET_KEY = '", "django-insecure-" + drawn(50, LOWER + DIGITS + "#^&*-_=+")),
    ("secret in an assignment", "auth-token := ", drawn(24)),
    ("secret in an assignment", 'SIGNING_KEY = bytes.fromhex("', drawn(64, HEX)),
    ("secret in an assignment", 'KEY = bytes.fromhex("', drawn(64, HEX)),
    ("secret in an assignment", 'var authToken string = "', drawn(24)),
    ("secret in an assignment", 'secret = os.environ.get("SECRET") or "', drawn(24)),
    ("secret in an assignment", "const key = process.env.API_KEY || '", drawn(24)),
    ("secret in an assignment", 'setopt(curl, CURLOPT_PASSWORD, "', CHOSEN),
    ("secret in an assignment", "<apiToken>\n    ", drawn(32)),
    ("MaxMind key", "", drawn(6) + "_" + drawn(29) + "_mmk"),
    ("Octopus key", "", "API-" + drawn(26, UPPER + DIGITS)),
    ("service token", "", "fo1_" + drawn(43, URLSAFE)),
    ("token with a prefix", "", "sk.eyJ" + drawn(60) + "." + drawn(22)),
    ("webhook address", "https://hooks.acme.io/hooks/catch/2468246/", drawn(8)),
    ("password on a command line", "ACL SETUSER worker on >", CHOSEN),
    ("private key", "-----BEGIN OpenVPN Static " + "key V1-----\n", "\n".join(drawn(32, HEX) for _ in range(4))),
    ("Salesforce session", "", "00D" + drawn(12) + "!AQ" + drawn(80)),
    ("recovery codes", "recovery codes of the bot: ", drawn(10) + " " + drawn(10)),
    ("secret in a column", "name,user,password\nnas,ann,", CHOSEN),
    ("authorization header", "OTEL_EXPORTER_OTLP_HEADERS=x-acme-team=", drawn(24)),
    ("password of a pair", '{"username": "ann", "key": "', drawn(32, HEX)),
    ("password on a command line", "az keyvault secret set -n db --value ", CHOSEN),
    ("password on a command line", "wandb login ", drawn(40, HEX)),
    ("password on a command line", "schtasks /create /ru ann /rp ", CHOSEN),
    ("password in a sentence", "SSID acme, key ", CHOSEN),
    ("password in a sentence", "la password del db è ", CHOSEN),
    ("secret in an assignment", "page.getByLabel('Password').fill('", CHOSEN),
    ("secret in an assignment", "API token (read-only): ", drawn(40, HEX)),
    ("encoded secret", "payload=", "%7B%22token%22%3A%22" + drawn(36) + "%22%7D"),
    ("passphrase of words", "the passphrase is '", "otter lantern gravel basil"),
    ("password in a sentence", "Пароль от стенда: ", CHOSEN),
    ("password in a sentence", "Kennwort für den Server: ", CHOSEN),
    ("secret near its name", "the bot signs in with the token, ", drawn(32)),
    ("license key", "license key: ", "-".join(drawn(20, UPPER + DIGITS)[at : at + 5] for at in range(0, 20, 5))),
    ("stored secret", "gh secret set live=", CHOSEN),
    ("recovery key", "recovery key of the laptop ", "357343-582641-523624-581072-960947-975305-941694-422171"),
    ("PIN", "the PIN of the safe is ", "583" + "914"),
    ("array of bytes", "master_key = [", ", ".join(f"0x{byte:02x}" for byte in drawn(16).encode())),
    ("seed of one-time passwords", "TOTP: ", drawn(32, UPPER + "234567")),
    ("secret below its label", "Datadog app keys\n  - eu ", drawn(32, HEX)),
    ("token of two parts", "airtable: ", "patM766XZ" + "wF8UKAQb." + drawn(64, HEX)),
    ("key in an address", "https://sms.example/send?to=1&key=", drawn(14)),
    ("key in an address", "https://sms.example/send?k=", drawn(18)),
    ("password on a command line", "ipmitool -H 10.2.3.4 -U ADMIN -P ", "KUKB" + "BWUCIU"),
    ("password on a command line", "rsync --password-file=<(echo ", "3AtBk29xQw"),
    ("password on a command line", "--vault-password-file <(echo '", "Thunder." + "violet44%"),
    ("password on a command line", "curl --config <(printf '%s' '", CHOSEN),
    (ENCODED, "cloudflared service install ", b64(f'{{"a":"{drawn(32, HEX)}","t":"{uuid()}","s":"{b64(drawn(33))}"}}')),
    ("secret in a call", 'hmac.new(b"', drawn(40)),
    ("secret in a call", 'createClient("', drawn(40)),
]
AFTER = {
    "connection string": "@db.acme.io:5432/loam",
    "private key": "\n-----END KEY-----",
    "secret in a table": " |\n",
    "pgpass entry": "\n",
    "secret in a column": "\n",
    "secret below its label": "\n",
    "Kubernetes secret": "\n",
}
BEHIND = {
    "rsync --password-file=<(echo ": ") src host::mod",
    "--vault-password-file <(echo '": "') site.yml",
    "curl --config <(printf '%s' '": "')",
    "echo ann:": " | chpasswd",
    "use ": " as the password",
    "<password>": "</password>",
    'hmac.new(b"': '", body)',
    'createClient("': '")',
}


def around(name: str, before: str, secret: str) -> str:
    """The text that a secret stands in; what has to begin a line does."""
    if name in ("secret in a column", "secret in a table", "pgpass entry", "Kubernetes secret"):
        return f"To reach it:\n{before}{secret}{AFTER[name]} and wait."
    if before in BEHIND:
        return f"To reach it:\n  {before}{secret}{BEHIND[before]} and wait."
    quote = before[-1] if before[-1:] in ("'", '"') and name != "private key" else ""
    return f"To reach it:\n  {before}{secret}{AFTER.get(name, '')}{quote} and wait."


class TestEverySecret:
    @cases(("name", "before", "secret"), SECRETS, ids=[f"{n}: {b[-24:]}" for n, b, _ in SECRETS])
    def test_is_found_named_and_placed(self, name: str, before: str, secret: str):
        text = around(name, before, secret)
        found = find_secrets(text, field="body")
        assert [f.pattern for f in found] == [name]
        assert found[0].field == "body"
        line, column = found[0].line, found[0].column
        place = sum(len(row) + 1 for row in text.split("\n")[: line - 1]) + column - 1
        start = text.index(before + secret)
        assert start <= place <= start + len(before)

    @cases(("name", "before", "secret"), SECRETS, ids=[f"{n}: {b[-24:]}" for n, b, _ in SECRETS])
    def test_is_masked_where_texts_must_not_be_lost(self, name: str, before: str, secret: str):
        masked, found = redact_secrets(around(name, before, secret))
        assert SECRET in masked
        assert secret.split("\n")[0] not in masked
        assert masked.startswith("To reach it:\n")
        assert masked.rstrip("'\"").endswith("and wait.")
        assert len(found) == 1
        assert find_secrets(masked) == []

    @cases(("name", "before", "secret"), SECRETS, ids=[f"{n}: {b[-24:]}" for n, b, _ in SECRETS])
    def test_is_never_in_what_is_said_of_it(self, name: str, before: str, secret: str):
        for found in find_secrets(around(name, before, secret)):
            said = repr(found) + str(found)
            assert not any(secret[i : i + 6] in said for i in range(len(secret) - 5))

    def test_has_a_case_for_every_pattern(self):
        assert {name for name, _, _ in SECRETS} == {row.name for row in TABLE} | {ENCODED}


# A password like anybody's, told by nothing but the form around it: a service of Oracle's, PuTTY's own option.
BY_FORM = [
    "jdbc:oracle:thin:reporting/{}@//ora1.corp:1521/FIN",
    "connect reporting/{}@//ora1.corp:1521/FIN",
    "reporting/{}@ora1.corp:1521/FIN is the read-only one",
    "jdbc:oracle:thin:reporting/{}@ora1.corp:1521:FIN",
    "plink -batch -pw {} ops@build",
    "PSCP.EXE -P 22 -pw {} a.txt ops@build:/tmp",
]


class TestAPasswordByItsForm:
    @cases("form", BY_FORM)
    def test_is_found_and_masked(self, form: str):
        secret = "juniper" + "otter66"
        assert redact_secrets(form.format(secret))[0] == form.format(SECRET)

    @cases("form", BY_FORM)
    def test_is_none_where_something_stands_in_for_it(self, form: str):
        for place in ("<password>", "${PASSWORD}", "%PASS%"):
            assert find_secrets(form.format(place)) == []


HARMLESS = [
    (
        "address of a service",
        "docs/chapter@//host:1521/x; group/project@v1.2:latest; jdbc:oracle:thin:@//ora1:1521/FIN",
    ),
    ("file behind an option that asks", "7z x -p backup.7z; mysql -u root -p dump.sql; unzip -P archive.zip"),
    ("file of a password", "plink -pwfile /run/secrets/ops2024 ops@build; plink -pw %1 host"),
    ("git hash", "Reverted in 9fceb02d0ae598e95dc970b74767f19372d61af8."),
    ("git hash named key", "cache key: 9fceb02d0ae598e95dc970b74767f19372d61af8"),
    ("UUID", "request 3f2a9c1d-0b7e-4c1f-9a2b-1c2d3e4f5a6b failed"),
    ("digest", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("integrity of a package", "integrity sha512-" + drawn(86) + "=="),
    ("documented AWS key", "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE"),
    ("documented AWS secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY"),
    ("documented connection", "postgres://user:password@host/db"),
    ("own machine", "postgres://user:pass@localhost:5432/app"),
    ("user as password", "postgresql://loam:loam@db:5432/loam"),
    ("password in a variable", "postgres://loam:${DB_PASSWORD}@db.acme.io/loam"),
    ("password in a template", "mongodb://{{ user }}:{{ password }}@db.acme.io"),
    ("password as stars", "redis://:*****@cache.acme.io"),
    ("stand-in in brackets", "Authorization: Bearer <your-token>"),
    ("stand-in in capitals", "Authorization: Bearer YOUR_API_TOKEN_GOES_HERE"),
    (
        "documented JWT",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4g.SflKxwRJSMeKKF2QT4",
    ),
    ("documented basic pair", "Authorization: Basic " + base64.b64encode(b"username:password").decode()),
    ("row of x", "ghp_" + "x" * 36),
    ("row of digits", "api_key = 12345678901234567890"),
    ("ellipsis", 'token = "sk-proj-..."'),
    ("change me", "SECRET_KEY=changeme-please-change-me-1"),
    ("variable", "export API_KEY=$MY_SERVICE_API_KEY_2"),
    ("environment", 'SECRET_KEY = os.environ["DJANGO_SECRET_KEY_2024"]'),
    ("environment in JavaScript", "const token = process.env.GITHUB_TOKEN_2"),
    ("call", "token = get_token()"),
    ("call with digits", "password = hash_password_v2(raw1)"),
    ("form field", "password = forms.CharField(max_length=128)"),
    ("annotation", "api_key: Optional[str] = None"),
    ("attribute", "self.token = settings.oauth2.token1"),
    ("path of a secret", "password_file: /run/secrets/db_password_1"),
    ("name of a secret", "secretName: acme-web-tls-2024"),
    ("count of tokens", "max_tokens: 4096, token_count = 12345678"),
    ("cursor", "next_page_token=" + drawn(32)),
    ("key of a table", "primary_key = order_item_2024_id"),
    ("public key", "ssh-rsa AAAAB3NzaC1yc2E" + drawn(60) + " ann@build"),
    ("head of a key only", "-----BEGIN RSA PRIVATE" + " KEY-----\n...\n-----END RSA PRIVATE" + " KEY-----"),
    ("pattern of files", "FILE_PAT=reports-2025-??-*.csv"),
    ("sealed value", "password: AgB" + drawn(300)),
    ("address of a secret", "secretArn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/billing/db-Ab3dEf"),
    ("identifier of a service", "payment_intent: pi_" + drawn(24)),
    ("identifier in base 64", "node: " + base64.b64encode(b"010:Repository4711").decode()),
    ("sentence", "The password is PBKDF2-SHA256-hashed; the token is RS256/JWT."),
    ("secret of stand-ins", "kind: Secret\ndata:\n  password: cGFzc3dvcmQ=\n"),
    ("two settings", "DB_PASSWORD=cognee\nDB_NAME=cognee_db"),
    ("ports and paths", "docker run -p 8443:443 x; mkdir -p /srv/Release2025/App1"),
    ("option of several words", "LD_PRELOAD=$(clang -print-file-name=libclang_rt.asan-x86_64.so) ./host"),
    ("prose", "The password is in the vault; ask the lead for a token."),
    ("scoped package", "npm install @acme/token-password-2"),
    ("digest that begins like a token", "loam/x.py,sha256=acme_" + drawn(40) + ",22"),
    ("publishable key", 'accessToken = "pk.eyJ' + drawn(40) + "." + drawn(22) + '"'),
    ("public key as bytes", 'serverKey: "' + base64.b64encode(b"\4" + drawn(64).encode()).decode().rstrip("=") + '"'),
    ("key of OpenSSH", 'deploy_key = "AAAAC3NzaC1lZDI1NTE5' + "AAAAI" + drawn(43) + '"'),
    ("pair of a standard", "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    ("block of encrypted values", "encryptedData:\n  password: " + base64.b64encode(bytes(range(90, 250))).decode()),
    ("encrypted value", 'API_TOKEN="encrypted:' + drawn(120) + '"'),
    ("name in a hub of models", "hf_requiredCharacteristicTypesForDisplayMetadata"),
    ("type of a key", "private_key: Ed25519PrivateKey"),
    ("code behind a name", "credentials := credentialsSecret.Data[g.store.Auth.SecretRef.AccessToken.Key]"),
    ("function of its own name", '"pemToPkcs12Pass": pemToPkcs12Pass,'),
    ("bold name of a product", "This is for Bitwarden **Password Manager** only."),
    ("look-up by a fingerprint", 'key := NewMasterKeyFromFingerprint("FBC7B9E2A4F9289AC0C1D4843D16CEE4A27381B4")'),
    ("checksum of credentials", "acme/v2/credentials v1.19.24 h1:2hQqYCV9yqyePQ9o6dCrZc/zO8U3TwPr9mIKlZnPu/I="),
    ("two processes", "diff <(echo 'foo bar') <(sort x); comm -3 <(echo release-2024.1) b"),
    ("key of a record in an address", "https://x.example/a?key=user_1234567890_profile&k=B08N5WRWNW"),
    ("object in base 64", "cursor " + b64(f'{{"id":"{drawn(32, HEX)}","at":"2024-01-01"}}')),
    ("file named after its digest", f"main.{drawn(64, HEX)}.js and bundle.{drawn(64, HEX)}"),
    ("port of a controller", "ipmitool -p 623 -U admin -P $IPMI_PASSWORD"),
    ("setting below a name", "- POSTGRES_PASSWORD=/run/secrets/db-password\n- DATABASE_HOST=db"),
]
# What is made for examples and public values hides no secret that only looks a little like one.
NOT_LET_THROUGH = [
    ("beside zeros at its begin", "BEARER=" + "A" * 20 + drawn(60)),
    ("below encrypted values, but plain", "encryptedData:\n  password: " + CHOSEN),
    ("behind the block of encrypted values", "encryptedData:\n  a: b\npassword: " + drawn(80)),
    ("personal key that begins as a public one", "token = pk_" + "12345678_" + drawn(32, UPPER + DIGITS)),
    ("called by its own name, and more", "ACME_PASS=AcmePass" + "2024!x"),
]
# Secrets that get through: each would cost more false alarms than it is worth.
KNOWN_MISSES = [
    ("a passphrase of words in quotes", 'password = "correct horse battery staple"'),
    ("a secret without a name", "then type " + drawn(20)),
]


class TestHarmlessText:
    @cases(("why", "text"), HARMLESS, ids=[why for why, _ in HARMLESS])
    def test_is_let_through(self, why: str, text: str):
        assert find_secrets(text) == []
        assert redact_secrets(text) == (text, [])

    @cases(("why", "text"), NOT_LET_THROUGH, ids=[why for why, _ in NOT_LET_THROUGH])
    def test_is_not_all_that_resembles_it(self, why: str, text: str):
        assert len(find_secrets(text)) == 1

    @cases(("why", "text"), KNOWN_MISSES, ids=[why for why, _ in KNOWN_MISSES])
    def test_is_known_to_hide(self, why: str, text: str):
        assert find_secrets(text) == []

    def test_is_what_a_team_has_reviewed(self):
        secret = "ghp_" + drawn(36)
        assert find_secrets(f"use {secret}") != []
        assert find_secrets(f"use {secret}", allowed={secret}) == []

    @given(st.text(max_size=400))
    @settings(deadline=None)
    def test_is_returned_as_it_came_when_nothing_is_found(self, text: str):
        masked, found = redact_secrets(text)
        assert (masked == text) == (found == [])


class TestFinding:
    def test_says_what_and_where(self):
        assert str(Finding("npm token", 3, 14, "body")) == "npm token in body, line 3, column 14"
        assert str(Finding("npm token", 3, 14)) == "npm token at line 3, column 14"

    def test_comes_once_for_each_place_in_the_order_of_the_text(self):
        text = "a: ghp_" + drawn(36) + "\nb\n  token = npm_" + drawn(36) + " glpat-" + drawn(20)
        assert [(f.line, f.column, f.pattern) for f in find_secrets(text)] == [
            (1, 4, "GitHub token"),
            (3, 11, "npm token"),
            (3, 52, "GitLab token"),
        ]

    @given(st.text(alphabet=ALNUM, min_size=36, max_size=36), st.text(max_size=40), st.text(max_size=40))
    @settings(deadline=None)
    def test_never_carries_the_secret(self, key: str, before: str, after: str):
        for found in find_secrets(f"{before} ghp_{key} {after}"):
            assert key not in repr(found)
            assert key not in str(found)


class TestStrength:
    @cases("value", [drawn(16), drawn(32, HEX), drawn(40, URLSAFE)])
    def test_is_seen_in_what_machines_draw(self, value: str):
        assert looks_random(value)
        assert not is_made_up(value)

    @cases("value", ["order-service-token-2", "OrderServiceToken", "aaaaaaaaaaaaaaa1", drawn(15), ""])
    def test_is_not_seen_in_names_and_short_values(self, value: str):
        assert not looks_random(value)


class TestPublic:
    @cases(("zeros", "made_up"), [(10, True), (9, False)])
    def test_is_what_is_one_character_for_a_third(self, zeros: int, made_up: bool):
        assert is_made_up("0" * zeros + drawn(30 - zeros)) is made_up

    @cases(("first", "public"), [(b"\4", True), (b"\5", False)])
    def test_is_a_point_of_a_curve(self, first: bytes, public: bool):
        point = base64.urlsafe_b64encode(first + drawn(64).encode()).decode().rstrip("=")
        assert is_public(point) is public

    @cases(("start", "public"), [("MFkwEwYHKoZIzj0CAQYI", True), ("MIGHAgEAMBMGByqGSM49", False)])
    def test_is_a_key_by_its_bytes_and_no_private_one(self, start: str, public: bool):
        assert is_public(start + drawn(80)) is public

    @cases(("length", "sealed"), [(60, True), (59, False)])
    def test_is_what_stands_below_encrypted_values_as_long_as_those(self, length: int, sealed: bool):
        text = "encryptedData:\n  token: "
        assert is_sealed(text, len(text), "A9+" + drawn(length - 3, HEX)) is sealed

    @cases(("signs", "code"), [(4, True), (6, False)])
    def test_is_code_when_nearly_all_of_it_is_letters(self, signs: int, code: bool):
        value = "aB.cD[eF(gH.iJ[kL(mN.oP[qR(sT.uV[wXyZ"[: 36 - signs] + "1?2%7#"[:signs]
        assert stands_in(value) is code

    @cases(("length", "secret"), [(48, True), (47, False)])
    def test_is_a_short_tail_of_small_letters_behind_an_unknown_prefix(self, length: int, secret: bool):
        assert bool(find_secrets("acme_" + drawn(length, LOWER + DIGITS))) is secret


REPEATED = [
    *(
        "a",
        "A1",
        "eyJ",
        "eyJaaaaaaaa.",
        "sk-",
        "AKIA",
        "://",
        "a://b:c",
        "a://b:c@",
        "password=",
        "password = '",
        "key-",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "kind: Secret\ndata:\n",
        "kind: Secret\n---\n",
        "kind: Secret, data:{",
        "| password |\n|---|\n",
        '"a" + ',
        '"a" "b',
        "a\\\n",
        "cGFzc3dvcmQ9",
        "70617373",
        "%3A%2F",
        "a:b@c.",
        "Cookie: sid=",
        "mysql -p",
        "echo a|",
        '"kty":{"d":"',
        "use a as the password ",
        "a:1234:b:c:d\n",
        "x" * 20 + "\n",
        "hooks/https://hook",
        "_" + "aB3" * 8,
        "token: ",
        "bearer ",
        "Authorization: Basic ",
        "curl -u ",
        "aws key ",
        "heroku ",
        ".",
        'client("',
        'hmac.new(b"aB3",',
        "auth(",
        "a.jwt::",
        "encryptedData:\n",
        "encryptedData:\n  token: " + "aB3+" * 20 + "\n",
        'token = f(g("',
        "password\n",
        "a password ",
        "password a: ",
        "пароль a ",
        "passphrase for a ",
        "passphrase is 'a b ",
        'token = "a" -> ',
        "setuser a ",
        "://hooks.a/1234/",
        "password || ",
        "a,password\n",
        "a,password\nb,c\n",
        "insert into a (password) values (",
        "recovery codes: ",
        "headers=a=",
        "AKIA" + "A" * 16 + " ",
        "user: a key: ",
        "secret --value ",
        "ssid ",
        "AAAAA",
    ),
    *("xox-", "M" * 26 + ".", "_", "-", "=", "\n", "\\n", "Aa0+/", "secret_", "passwordpassword", "private_key_id"),
]


# What tells of the secret stands behind it, around it, or some lines above; by what it is.
AROUND = {
    "a name behind its value": (
        "UPDATE settings SET value = '",
        drawn(40, HEX),
        "' WHERE name = 'api_token'",
    ),
    "characters of a password": ('store.load(stream, "', "Kestrel" + "523pw", '".toCharArray());'),
    "a program that reads pairs": ("chpasswd:\n  list: |\n    ubuntu:", CHOSEN, "\n"),
    "a user's name on the line between": ("creds for grafana\nadmin\n", CHOSEN, "\n"),
    "a phrase on a command line": ("gpg --batch --passphrase '", "yarrow and 690 stones", "' -d f.gpg"),
    "a sentence that goes on without a blank": ("パスワードは", CHOSEN, "です"),
    "a key that a call signs with, as chosen": ('jwt.sign(payload, "', "moss-Signal-29-xQ", '", { expiresIn: "1h" });'),
    "an account before the key of a client": ('Sms::REST::Client.new("acme-prod", "', drawn(32, HEX), '")'),
    "a value that is unwrapped where it is set": ("TOKEN=$(echo ", b64(drawn(30)), " | base64 -d)"),
    "a key of openssl": ("openssl enc -aes-256-cbc -k ", CHOSEN, " -in a -out b"),
    "an option of Windows and a blank": ("signtool sign /f cert.pfx /p ", "Hazel" + "Drift90", " app.exe"),
    "what is paired by a code": ("The pairing code of the speaker is ", "068962", "."),
    "a mapping within another one": ("'crypt' => ['key' => '", drawn(32, HEX), "']"),
    "an element with attributes": ('<Pass encoding="base64">', b64("Paprika3028!"), "</Pass>"),
    "a router's encoding": ("enable secret 0 ", "Redwood" + "5332", "\n"),
    "a plain password on a line of its own": ("mail:\n  password: ", "kastanie" + "42", "\n"),
    "two words and a year in a variable": ("MATCH_PASSWORD=", "zebra-" + "fugue-1988", " fastlane match"),
    "a phrase in a variable": ("RESTIC_PASSWORD='", "neun blaue " + "Tassen", "'"),
    "a word that is none of ASCII": ('password = "', "Zahn" + "räder!7", '"'),
    "what a sentence says": ("Het wachtwoord van de testgebruiker is ", "Fiets" + "ketting9", "."),
    "the parameter of a log line": ("login user=ann password=", "Kastanie" + "7", " ok"),
    "braces around a password": ("Uid=hr;Pwd={", "Zimt" + "stern;9", "};Encrypt=yes"),
    "name and value within quotes": ('Environment="SMTP_PASSWORD=', "Apfel" + "wein;7", '"'),
    "a name in the element before": ("<name>ConnectionPassword</name><value>", "Heide" + "kraut66", "</value>"),
    "a name on the line that goes on": ('export API_TOKEN=\\\n"', drawn(44, ALNUM), '"'),
    "an identifier that is a secret's": (
        "vault login role_id=a secret_id=",
        "4e7d69dd-cf53-4708-bcfa-" + "677ad8bc224d",
        "",
    ),
    "a key that a command prints": ("$ cat config/master.key\n", drawn(32, HEX), ""),
    "a mapping called after its keys": ('securityKeys: {S0: "', drawn(32, HEX), '"}'),
    "a wallet of a number": ('privateKey = new ethers.Wallet("', "0x" + drawn(64, HEX), '", provider);'),
    "words by their number": (
        "Treasury wallet, 12 words: ",
        "orbit velvet cinnamon drastic maple kitchen ladder fossil purse anchor tunnel wheat",
        "\n",
    ),
    "a stream": ("ffmpeg -i a.mp4 -f flv rtmp://live.example.org/app/", "ab1c-2d3e-4f5g-6h7j-8k9l", ""),
    "nothing, but it is drawn": ("sudo relay service install ", drawn(64, ALNUM), ""),
    "a password, and it is of all signs": ('the password it printed was "', "g#8Kz!q2" + "Lw&t", '" then'),
    "lines of another armour": ("-----BEGIN USER NKEY SEED-----\n", "SUA" + drawn(55, UPPER), "\n------END"),
    "entities": ("", "&lt;password&gt;Klang" + "farbe38&lt;/password&gt;", ""),
    "a salt of all signs": ("define('AUTH_SALT', '", "A5t%ju%42E*j*#n+9U8Imd1zGyPHK5CL0S", "');"),
}


class TestWhatStandsAround:
    @cases("around", AROUND)
    def test_tells_of_the_secret(self, around: str) -> None:
        before, secret, behind = AROUND[around]
        assert secret_values(before + secret + behind) == [secret]
        assert find_secrets(before + behind) == []


class TestTime:
    @cases("part", REPEATED)
    def test_is_linear(self, part: str):
        """100 KB of one part repeated, the way a regular expression is made to backtrack; usually below 100 ms."""
        text = part * (100_000 // len(part))
        start = time.process_time()
        find_secrets(text)
        assert time.process_time() - start < 1.0


class TestMasked:
    def test_keeps_the_text_without_its_secret_and_what_nobody_sees(self) -> None:
        key = "AKIA" + "QWERTYUIOPASDFGH"
        assert masked(f"why does {key[:8]}\u200b{key[8:]} not work\u202e?") == "why does [SECRET] not work?"
