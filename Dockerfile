# One image for every process; docker-compose.yml says which command each of them runs.
FROM python:3.11-slim AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev make
COPY requirements.lock /build/requirements.lock
RUN python -m venv /opt/kith
RUN /opt/kith/bin/python -m pip install --quiet --no-cache-dir --require-hashes -r /build/requirements.lock

FROM python:3.11-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libgomp1 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --no-create-home kith && install -d -m 700 -o kith /var/lib/kith /run/kith
COPY --from=build /opt/kith /opt/kith
COPY . /app
WORKDIR /app
ENV PATH=/opt/kith/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DEBUG=0 VAR_DIR=/var/lib/kith
USER kith
EXPOSE 8000
CMD ["python", "manage.py", "serve", "web"]
