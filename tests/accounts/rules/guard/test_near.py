"""Values that are known by what stands near them, and letters that no word has beside each other."""

import random
import string

from accounts.rules.guard.detection import find_secrets, redact_secrets
from accounts.rules.guard.drawn import UNREADABLE, is_unreadable, surprise
from tests.cases import cases

ALNUM = string.ascii_letters + string.digits


def drawn(length: int, alphabet: str = ALNUM) -> str:
    """Return a value as a machine draws one, the same on every run; in base 62 it has characters of three kinds."""
    rng = random.Random(f"near {length} {alphabet}")
    value = "".join(rng.choices(alphabet, k=length - 3))
    return f"{value[:5]}x7{value[5:]}K" if alphabet == ALNUM else value + "".join(rng.choices(alphabet, k=3))


TOKEN, HEX = drawn(32), drawn(32, "0123456789abcdef")
PASSWORD = "Kestrel" + "4471" + "!"
PLAIN = "kestrel" + "4471"


class TestSecretsNearTheirName:
    @cases(
        "text",
        [
            f'MAILER = "{TOKEN}"  # the api key from the console',
            f"Here is the token you asked for:\n\n{TOKEN}",
            f"kubectl create secret generic pay --from-literal=live={TOKEN}",
            f"Der API-Schlüssel ist {HEX}.",
            f"jeton d'accès : {HEX}",
            f"Use {HEX} as the api key.",
            f"Log in as admin with {PASSWORD} on staging",
            f"ana@acme.io / {PASSWORD}",
            f"Mot de passe de l'administrateur : « {PLAIN} »",
            f"パスワードは「{PLAIN}」です",
            f"https://app.acme.io/reset-password/{TOKEN}",
        ],
    )
    def test_are_found(self, text: str) -> None:
        masked, found = redact_secrets(text)
        assert found
        assert not any(value in masked for value in (TOKEN, HEX, PASSWORD, PLAIN))

    @cases(
        "text",
        [
            f"the token migration came with commit {drawn(40, '0123456789abcdef')}",
            f"token id {TOKEN}",
            f"next page token: {TOKEN}",
            f'secret = client.get_secret("{TOKEN}")',
            f"AES-128 key {HEX} is a documented example",
            f"request {HEX} failed: invalid password",
            "sol = log(-12*sqrt(2) + 17)/24 - C1*exp(43*root0)",
            "Sign in with react@18 and see acme/shop#4471",
            "Payment webhooks are verified with the secret STRIPE_WH_2026.",
            "write /var/lib/docker/tmp/GetImageBlob118273: no space left on device",
        ],
    )
    def test_are_told_from_what_all_may_read(self, text: str) -> None:
        assert find_secrets(text) == []


class TestLetters:
    @cases("name", ["AuthenticationProvider", "Rechtschreibprüfung", "disponibilidad", "XMLHttpRequest"])
    def test_of_words_and_names_are_readable(self, name: str) -> None:
        assert not is_unreadable(name)

    def test_that_are_drawn_are_unreadable_nearly_always(self) -> None:
        rng = random.Random(4)
        values = ["".join(rng.choices(string.ascii_letters, k=20)) for _ in range(300)]
        assert sum(map(is_unreadable, values)) > 0.9 * len(values)

    def test_say_nothing_if_they_are_few(self) -> None:
        assert surprise("xqzj") == surprise("12345678") == 0.0
        assert surprise("xqzjvkwq") > UNREADABLE
