FROM node:26-slim
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_DATA_DIR=/data SVC_DRIVER_PORT=8700 NODE_COMPILE_CACHE=/opt/cache
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force
COPY src src
COPY tools tools
COPY providers providers
COPY driver driver
COPY sql sql
COPY docs/agents.md docs/errors.md docs/llms.txt docs/server.json docs/
RUN mkdir -p /data /opt/cache && chown node:node /data /opt/cache
USER node
# Keeps what the first start compiles and the files of a new embedded database, so that it is as quick as the next.
RUN node src/main.ts tools > /dev/null && node src/start/link.ts $NODE_COMPILE_CACHE \
  && SVC_ENV=dev SVC_DATA_DIR=/tmp/new node src/main.ts migrate && rm -r /tmp/new
VOLUME /data
EXPOSE 8000 5683/udp 5684/udp
# Asks the ports of the services that the environment names; drivers alone have SVC_DRIVER_PORT for this.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s CMD ["node", "src/cli/health.ts"]
CMD ["node", "--max-semi-space-size=16", "src/main.ts", "serve"]
