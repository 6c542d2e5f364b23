# Two stages: npm is needed to install, and not to run. The Node that runs Patchbay is the one of the lockfile.
# Both images can be replaced, for example by copies in your own registry (--build-arg RUN_IMAGE=…).
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm-slim
ARG RUN_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${BUILD_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Of its package, only the program is needed.
RUN npm ci --omit=dev && mv node_modules/node-linux-*/bin/node /opt/node && rm -r node_modules/node-linux-*

FROM ${RUN_IMAGE}
# Named volumes take over the owner of the directory that they cover.
RUN install -d -m 0700 -o 10001 -g 10001 /data
COPY --from=dependencies /opt/node /usr/local/bin/node
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY migrations migrations
COPY packages/client packages/client
COPY src src
ENV NODE_ENV=production \
    PORT=3000 \
    PATCHBAY_DATA=/data
USER 10001:10001
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Live, not ready: a process without a database still answers calls and keeps deliveries, so nobody should restart it.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/patchbay.js"]
CMD ["serve"]
