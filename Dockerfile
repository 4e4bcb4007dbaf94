# One image for both services: `bin/broker.ts` unless told otherwise, `bin/provisioner.ts` for the provisioner.
#   docker build -t kyma-control-plane .
#   docker run kyma-control-plane bin/provisioner.ts

FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts/build-console.ts scripts/
COPY src/console src/console
RUN node scripts/build-console.ts \
  && npm prune --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund

FROM node:26-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/build build
COPY package.json LICENSE ./
COPY bin bin
COPY migrations migrations
COPY src src
USER 1000:1000
EXPOSE 8080 3000
# Node itself is the first process: it gets SIGTERM, drains, and hands its operations on.
ENTRYPOINT ["node"]
CMD ["bin/broker.ts"]
