import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the services of the demo find each other. */
export type DemoPlaces = {
  readonly databaseUrl: string;
  readonly landscapeUrl: string;
  /** For files that only this machine's user may read. */
  readonly directory: string;
};

/** The environments in which broker and provisioner would run, if somebody had set everything up by hand. */
export async function demoSettings(places: DemoPlaces) {
  const { landscapeUrl: url, directory } = places;
  const gardener = join(directory, 'gardener.yaml');
  const controlPlane = join(directory, 'control-plane.yaml');
  await mkdir(directory, { recursive: true });
  await writeSecret(gardener, await textOf(`${url}/gardener/kubeconfig`));
  await writeSecret(controlPlane, await textOf(`${url}/control-plane/kubeconfig`));
  const common = {
    DATABASE_URL: places.databaseUrl,
    ENCRYPTION_KEYS: await encryptionKeys(join(directory, 'encryption-keys')),
    OIDC_ISSUER_URL: `${url}/issuer`,
    SHUTDOWN_DRAIN: '0s', // nobody stands in front
    GARDENER_PROJECT: 'kyma',
    GARDENER_KUBECONFIG_PATH: gardener,
    DIRECTOR_URL: `${url}/director/graphql`,
    DIRECTOR_TOKEN_URL: `${url}/director/oauth2/token`,
    DIRECTOR_CLIENT_ID: 'demo',
    DIRECTOR_CLIENT_SECRET: 'demo',
    ARTIFACTS_RELEASES_URL: `${url}/artifacts/releases`,
    ARTIFACTS_COMPONENTS_URL: `${url}/artifacts/components`,
    ARTIFACTS_DEVELOPMENT_URL: `${url}/artifacts/development`,
  };
  return {
    provisioner: {
      ...common,
      OPERATOR_ROLE_BINDING_CREATING_FOR_ADMIN: 'true',
    },
    broker: {
      ...common,
      PROVISIONER_TOKEN_URL: `${url}/issuer/token`,
      PROVISIONER_CLIENT_ID: 'broker',
      PROVISIONER_CLIENT_SECRET: 'broker-demo-secret',
      CONSOLE_LANDSCAPE_URL: url,
      CONTROL_PLANE_KUBECONFIG_PATH: controlPlane,
      KYMA_VERSION: '2.18.0',
      KUBERNETES_VERSION: '1.26.5',
      KYMA_DASHBOARD_URL: 'https://dashboard.kyma.example.com',
      SHOOT_DOMAIN: 'kyma.example.com',
      DEFAULT_OIDC_CLIENT_ID: 'kcp',
      DEFAULT_OIDC_ISSUER_URL: `${url}/issuer`,
      RECONCILER_URL: `${url}/reconciler`,
      AVS_URL: `${url}/avs/api/v2/evaluationmetadata`,
      AVS_TOKEN_URL: `${url}/avs/oauth/token`,
      AVS_CLIENT_ID: 'demo',
      AVS_USERNAME: 'demo',
      AVS_PASSWORD: 'demo',
      AVS_PARENT_ID: '40',
      AVS_GROUP_ID: '40',
      AVS_INTERNAL_TESTER_ACCESS_ID: '40',
      AVS_EXTERNAL_TESTER_ACCESS_ID: '40',
      EDP_URL: `${url}/edp`,
      EDP_AUTH_URL: `${url}/edp`,
      EDP_NAMESPACE: 'demo',
      EDP_SECRET: 'demo',
      EDP_ENVIRONMENT: 'demo',
      CIS_EVENT_SERVICE_URL: `${url}/cis`,
      CIS_AUTH_URL: `${url}/cis/oauth/token`,
      CIS_CLIENT_ID: 'demo',
      CIS_CLIENT_SECRET: 'demo',
      AZURE_LOGIN_URL: `${url}/azure`,
      AZURE_MANAGEMENT_URL: `${url}/azure`,
      AWS_EC2_URL: `${url}/aws/{region}`,
      IAS_URL: `${url}/ias`,
      IAS_USER_ID: 'demo',
      IAS_USER_SECRET: 'demo',
      IAS_IDENTITY_PROVIDER: 'https://idp.example.com',
    },
  };
}

/** Made once: what is sealed in the database must be opened tomorrow, too. */
async function encryptionKeys(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const keys = `demo:${randomBytes(32).toString('base64')}`;
  await writeSecret(path, keys);
  return keys;
}

async function writeSecret(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
  await chmod(path, 0o600);
}

const textOf = async (url: string) => (await fetch(url)).text();
