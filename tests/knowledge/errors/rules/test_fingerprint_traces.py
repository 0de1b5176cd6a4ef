"""The same fault on two machines has one fingerprint, in every language; its template says what was kept."""

from dataclasses import dataclass

from knowledge.errors.rules.fingerprint import fingerprint
from tests.cases import cases


@dataclass(frozen=True)
class Case:
    """One fault as two machines print it, and the template both must have."""

    name: str
    here: str
    there: str
    template: str

    def __str__(self) -> str:
        return self.name


PYTHON = """Traceback (most recent call last):
  File "/home/ann/app/worker.py", line 41, in run_job
    tenant = registry["acme_tenant"]
             ~~~~~~~~^^^^^^^^^^^^^^^
KeyError: 'acme_tenant'
"""
PYTHON_CHAINED = """Traceback (most recent call last):
  File "/home/ann/.venv/lib/python3.11/site-packages/django/db/backends/utils.py", line 105, in _execute
psycopg.errors.UndefinedTable: relation "shop_order" does not exist
LINE 1: SELECT "shop_order"."id" FROM "shop_order" LIMIT 21

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/ann/shop/views.py", line 17, in orders
    return list(Order.objects.all())
  File "/home/ann/.venv/lib/python3.11/site-packages/django/db/models/query.py", line 398, in __iter__
django.db.utils.ProgrammingError: relation "shop_order" does not exist
"""
PYTHON_GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "/home/ann/fetch.py", line 9, in main
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/home/ann/fetch.py", line 3, in fetch
    | ValueError: bad page
    +------------------------------------
"""
PYTEST = """>       assert cart.total() == 12
E       assert 13 == 12
E        +  where 13 = <bound method Cart.total of <shop.Cart object at 0x7f1>>()

tests/test_cart.py:41: AssertionError
"""
NODE = """TypeError: Cannot read properties of undefined (reading 'map')
    at renderList (file:///home/ann/app/src/list.js:12:17)
    at Layer.handle [as handle_request] (/home/ann/app/node_modules/express/lib/layer.js:95:5)
    at processTicksAndRejections (node:internal/process/task_queues:95:5)
"""
NODE_CAUSE = """Error: could not load user 17
    at loadUser (/home/ann/src/users.ts:4:11)
    at main (/home/ann/src/main.ts:9:3) {
  [cause]: TypeError: fetch failed
      at node:internal/deps/undici/undici:12345:11
      at fetchUser (/home/ann/src/http.ts:3:1)
}
"""
NODE_MODULE = """node:internal/modules/cjs/loader:1143
  throw err;
  ^

Error: Cannot find module 'express'
Require stack:
- /home/ann/app/server.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1140:15)
    at Object.<anonymous> (/home/ann/app/server.js:1:17) {
  code: 'MODULE_NOT_FOUND'
}
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: Failed to load order 17
\tat com.acme.orders.OrderService.load(OrderService.java:41)
\tat java.base/java.lang.reflect.Method.invoke(Method.java:580)
Caused by: java.sql.SQLException: Connection refused: db-17.internal.acme.com:5432
\tat org.apache.commons.dbcp2.PoolingDataSource.getConnection(PoolingDataSource.java:141)
\tat com.acme.orders.Repo.find(Repo.java:41)
\t... 12 more
"""
JAVA_THERE = """2024-05-01T10:22:33.123Z ERROR 7 --- [nio-8080-exec-3] [dispatcherServlet] : Servlet.service() threw

java.lang.IllegalStateException: Failed to load order 9001
    at com.acme.orders.OrderService.load(OrderService.java:77) ~[orders.jar:1.2]
Caused by: java.sql.SQLException: Connection refused: db-3.internal.acme.com:5433
    at com.acme.orders.Repo.find(Repo.java:52) ~[orders.jar:1.2]
    ... 45 common frames omitted
"""
DOTNET = """Unhandled exception. System.InvalidOperationException: Sequence contains no elements
   at System.Linq.ThrowHelper.ThrowNoElementsException()
   at Acme.Orders.Loader.First(Int32 id) in C:\\Users\\ann\\src\\Orders\\Loader.cs:line 41
   at Program.<Main>$(String[] args) in C:\\Users\\ann\\src\\Program.cs:line 5
"""
GO = """panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.(*Server).pick(0xc0000140a0, 0x5)
\t/home/ann/app/server.go:41 +0x1d
main.main()
\t/home/ann/app/main.go:12 +0x85
exit status 2
"""
GO_THERE = """panic: runtime error: index out of range [9] with length 3 [recovered]

goroutine 37 [running]:
panic({0x1029?, 0x1400?})
\t/usr/local/go/src/runtime/panic.go:914 +0x218
main.(*Server).pick(...)
\t/Users/bob/go/src/app/server.go:77
"""
RUST_OLD = """thread 'main' panicked at 'called `Option::unwrap()` on a `None` value', src/main.rs:4:37
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
RUST_NEW = """thread 'tokio-runtime-worker' (8123) panicked at /home/bob/x/src/main.rs:88:10:
called `Option::unwrap()` on a `None` value
stack backtrace:
   0: rust_begin_unwind
             at /rustc/07dca489ac2d933c78d3c5158e3f43beefeb02ce/library/std/src/panicking.rs:645:5
"""
RUSTC = """   Compiling app v0.1.0 (/home/ann/app)
error[E0308]: mismatched types
 --> src/main.rs:4:18
  |
4 |     let x: u32 = "a";

error: aborting due to previous error
"""
SANITIZER = """==12345==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x4f8a2c
READ of size 4 at 0x602000000010 thread T0
    #0 0x4f8a2b in list_pop /home/ann/src/list.c:42:12
    #1 0x4f8b11 in main /home/ann/src/main.c:9:3
"""
DEBUGGER = """Program received signal SIGSEGV, Segmentation fault.
#0  __strlen_avx2 () at ../sysdeps/x86_64/multiarch/strlen-avx2.S:65
#1  0x0000555555555131 in list_pop (l=0x0) at list.c:42
"""
PHP = """PHP Fatal error:  Uncaught TypeError: count(): must be of type array, null given in /home/ann/src/Cart.php:12
Stack trace:
#0 /home/ann/src/Cart.php(30): Cart->total()
#1 {main}
"""
RUBY = """/home/ann/app/models/order.rb:12:in `total': undefined method `price' for nil:NilClass (NoMethodError)
\tfrom /home/ann/app/run.rb:3:in `<main>'
"""
GCC = """src/main.c: In function ‘main’:
src/main.c:12:5: error: ‘count’ undeclared (first use in this function)
   12 |     count++;
"""
LINKER = """/usr/bin/ld: /tmp/ccX1y2Z3.o: in function `main':
main.c:(.text+0x15): undefined reference to `pthread_create'
collect2: error: ld returned 1 exit status
"""


def moved(trace: str, *lines: tuple[str, str]) -> str:
    """The trace as another machine prints it: bob's home, and other replacements."""
    for old, new in (("/home/ann", "/Users/bob/work"), *lines):
        trace = trace.replace(old, new)
    return trace


def logged(trace: str) -> str:
    return "\n".join(f"worker-1  | {line}" for line in trace.splitlines())


KEY_ERROR = "KeyError: 'acme_tenant' @ run_job worker.py"
CASES = [
    Case("python", PYTHON, moved(PYTHON, ("line 41", "line 97")), KEY_ERROR),
    Case("python without carets", PYTHON, moved(PYTHON, ("             ~~~~~~~~^^^^^^^^^^^^^^^\n", "")), KEY_ERROR),
    Case("python on Windows", PYTHON, moved(PYTHON, ("/Users/bob/work/app/", "C:\\app\\")), KEY_ERROR),
    Case("python in a container's log", PYTHON, logged(PYTHON), KEY_ERROR),
    Case("python in a log", PYTHON, "2024-05-01 10:22:33,123 ERROR [worker-3] failed\n" + PYTHON, KEY_ERROR),
    Case("python, cut at the top", PYTHON, "\n".join(PYTHON.splitlines()[1:]), KEY_ERROR),
    Case(
        "python, chained",
        PYTHON_CHAINED,
        moved(PYTHON_CHAINED, ("python3.11", "python3.13"), ("line 105", "line 89"), ("LIMIT 21", "LIMIT 5")),
        'django.db.utils.ProgrammingError: relation "shop_order" does not exist <- '
        'psycopg.errors.UndefinedTable: relation "shop_order" does not exist @ orders views.py',
    ),
    Case(
        "python, a group",
        PYTHON_GROUP,
        moved(PYTHON_GROUP, ("(1 sub-exception)", "(2 sub-exceptions)"), ("line 3", "line 31")),
        "ValueError: bad page <- ExceptionGroup: unhandled errors in a TaskGroup (<num> sub-exception)"
        " @ fetch fetch.py",
    ),
    Case(
        "pytest",
        PYTEST,
        moved(PYTEST, ("13", "14"), (".py:41", ".py:77"), ("0x7f1", "0x5e2")),
        "assert <num> == <num> @ test_cart.py",
    ),
    Case(
        "javascript",
        NODE,
        "Uncaught " + moved(NODE, (":12:17", ":99:4")),
        "TypeError: Cannot read properties of undefined (reading 'map') @ renderList list.js",
    ),
    Case(
        "javascript in a browser",
        "TypeError: items is undefined\nrenderList@http://localhost:3000/src/list.js:12:17\n",
        "TypeError: items is undefined\nrenderList@https://app.acme.com/src/list.js:90:1\n",
        "TypeError: items is undefined @ renderList list.js",
    ),
    Case(
        "javascript with a cause",
        NODE_CAUSE,
        moved(NODE_CAUSE, ("user 17", "user 9"), (":3:1", ":33:1"), ("at loadUser", "at async loadUser")),
        "Error: could not load user <num> <- TypeError: fetch failed @ fetchUser http.ts",
    ),
    Case(
        "javascript, a module",
        NODE_MODULE,
        moved(NODE_MODULE, ("Module._res", "Function.Module._res"), ("loader:1140", "loader:933")),
        "Error: Cannot find module 'express' @ Object.<anonymous> server.js",
    ),
    Case(
        "typescript",
        "src/api/client.ts(12,5): error TS2345: Type 'string | undefined' is not assignable to type 'string'.",
        "web/src/api/client.ts:88:9 - error TS2345: Type 'string | undefined' is not assignable to type 'string'."
        "\n\n88   send(token)\n         ~~~~~\n\nFound 1 error.",
        "client.ts: error TS2345: Type 'string | undefined' is not assignable to type 'string'.",
    ),
    Case(
        "java",
        JAVA,
        JAVA_THERE,
        "java.lang.IllegalStateException: Failed to load order <num> <- java.sql.SQLException: "
        "Connection refused: <host> @ Repo.find Repo.java",
    ),
    Case(
        ".net",
        DOTNET,
        DOTNET.replace("C:\\Users\\ann\\src\\Orders\\", "/src/").replace("line 41", "line 12"),
        "System.InvalidOperationException: Sequence contains no elements @ Loader.First Loader.cs",
    ),
    Case(
        "go",
        GO,
        GO_THERE,
        "panic: runtime error: index out of range [<num>] with length <num> @ main.(*Server).pick server.go",
    ),
    Case(
        "go build",
        "# acme/shop\n./main.go:12:5: undefined: loadConfig",
        "# acme/shop\n./main.go:99:15: undefined: loadConfig\n./main.go:103:2: too many errors",
        "main.go: undefined: loadConfig",
    ),
    Case("rust", RUST_OLD, RUST_NEW, "panicked: called `Option::unwrap()` on a `None` value @ main.rs"),
    Case("rustc", RUSTC, moved(RUSTC, (":4:18", ":104:9")), "error[E0308]: mismatched types @ main.rs"),
    Case("sanitizer", SANITIZER, moved(SANITIZER, (":42:", ":57:")), "heap-use-after-free @ list_pop list.c"),
    Case(
        "debugger",
        DEBUGGER,
        DEBUGGER.replace("at list.c:42", "at /home/bob/list.c:57"),
        "SIGSEGV, Segmentation fault. @ list_pop list.c",
    ),
    Case(
        "php",
        PHP,
        moved(PHP, (":12", ":99"), ("(30)", "(33)")),
        "Fatal error: Uncaught TypeError: count(): must be of type array, null given @ Cart->total Cart.php",
    ),
    Case(
        "ruby",
        RUBY,
        "order.rb:99:in 'Order#total': undefined method 'price' for nil:NilClass (NoMethodError)",
        "NoMethodError: undefined method 'price' for nil:NilClass @ total order.rb",
    ),
    Case(
        "gcc",
        GCC,
        moved(GCC, ("‘", "'"), ("’", "'"), (":12:5", ":44:9"), ("src/main.c", "/home/bob/p/main.c")),
        "main.c: error: 'count' undeclared (first use in this function)",
    ),
    Case(
        "linker",
        LINKER,
        LINKER.replace("ccX1y2Z3", "ccQwErTy").replace("0x15", "0x2b"),
        "main.c:(.text<num>): undefined reference to 'pthread_create'",
    ),
    Case(
        "shell",
        "./deploy.sh: line 12: kubectl: command not found",
        "/home/bob/bin/deploy.sh: line 90: kubectl: command not found",
        "deploy.sh: line <num>: kubectl: command not found",
    ),
]


class TestTheSameFault:
    @cases("case", CASES, ids=str)
    def test_has_one_fingerprint_on_two_machines(self, case: Case):
        here, there = fingerprint(case.here), fingerprint(case.there)
        assert here is not None
        assert here.template == case.template
        assert there == here

    @cases("case", CASES, ids=str)
    def test_is_found_again_by_its_template(self, case: Case):
        here = fingerprint(case.here)
        assert here is not None
        assert fingerprint(here.template) == here


AT = 'Traceback (most recent call last):\n  File "/srv/app/{file}", line 4, in {function}\n{error}'
DIFFERENT = [
    ("another key", AT.format(file="a.py", function="run", error="KeyError: 'x'"), ("'x'", "'y'")),
    ("another type", AT.format(file="a.py", function="run", error="KeyError: 'x'"), ("KeyE", "IndexE")),
    ("another function", AT.format(file="a.py", function="run", error="ValueError: bad"), ("in run", "in stop")),
    ("another file", AT.format(file="a.py", function="run", error="ValueError: bad"), ("a.py", "b.py")),
    ("another cause", JAVA, ("SQLException: Connection refused", "SQLTimeoutException: Timed out")),
    ("another frame", GO, ("pick", "drop")),
    ("another errno", "OSError: [Errno 13] /x/y", ("13", "28")),
    ("another status", "Request failed with status code 404", ("404", "502")),
    ("another exit code", "Process exited with code 137", ("137", "1")),
    ("another compiler code", "a.ts(1,2): error TS2345: no", ("2345", "2322")),
    ("another type of number", "expected `u32`, found `u64`", ("u64", "i64")),
    ("another module", "ModuleNotFoundError: No module named 'yaml'", ("yaml", "numpy")),
    ("another command", "bash: kubectl: command not found", ("kubectl", "helm")),
    ("another configuration file", "No such file: '/a/b/config.yaml'", ("config.yaml", "app.toml")),
    ("another property", "Cannot read properties of undefined (reading 'map')", ("map", "length")),
    ("another punctuation", "a.c:1:2: error: expected ';' before '}'", ("';'", "','")),
    ("another route", '"GET /api/orders/42 HTTP/1.1" 500', ("orders", "users")),
    ("another signal", "terminated by signal 11", ("11", "9")),
]


class TestAnotherFault:
    @cases(("why", "text", "change"), DIFFERENT, ids=[d[0] for d in DIFFERENT])
    def test_has_another_fingerprint(self, why: str, text: str, change: tuple[str, str]):
        other = text.replace(*change)
        assert other != text
        assert fingerprint(other) != fingerprint(text)
