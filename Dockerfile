# Written where there is no Docker, so this file has never been built. Its commands were run one by one without it.
#
#   docker build --tag tersely .
#   docker run --rm --publish 127.0.0.1:8000:8000 tersely
#   docker run --rm --interactive tersely summarize --max-chars 300 < article.txt

FROM python:3.13-slim AS build
WORKDIR /source
RUN python -m venv /opt/tersely
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY configs configs
COPY share share
COPY src src
RUN /opt/tersely/bin/pip install --no-cache-dir --constraint constraints.txt ".[serve,tokens,files]"

FROM python:3.13-slim
COPY --from=build /opt/tersely /opt/tersely
ENV PATH=/opt/tersely/bin:$PATH PYTHONUNBUFFERED=1
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["tersely"]
# Whoever publishes the port decides who reaches it.
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--insecure"]
