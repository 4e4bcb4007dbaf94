/** Who may ask for tokens in a demo, and on whose behalf. Secrets and passwords are known to everybody. */
export type Client = {
  readonly id: string;
  /** A client without one is public: it runs where it could not keep it. */
  readonly secret?: string;
  readonly grants: readonly Grant[];
  readonly scopes: readonly string[];
  /** Of the client itself, where it asks for itself. */
  readonly groups?: readonly string[];
  /** Where a browser may be sent. On a loopback address any port will do (RFC 8252). */
  readonly redirectUris: readonly string[];
};

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
export const grants = [
  'client_credentials',
  'password',
  'authorization_code',
  'refresh_token',
  deviceGrant,
] as const;
export type Grant = (typeof grants)[number];

export type User = {
  readonly name: string;
  readonly password: string;
  readonly fullName: string;
  readonly email: string;
  readonly groups: readonly string[];
  /** What this user may allow a client to do, besides learning who it is. */
  readonly scopes: readonly string[];
};

/** For whom access tokens are meant. */
export const audience = 'kyma-control-plane';

export const identityScopes = ['openid', 'profile', 'email', 'groups', 'offline_access'];
const brokerScopes = ['broker:write', 'cld:read'];
const provisionerScopes = ['provisioner:write'];

const onLoopback = (...paths: string[]) =>
  ['127.0.0.1', 'localhost', '[::1]'].flatMap((host) =>
    paths.map((path) => `http://${host}${path}`),
  );

export const clients: readonly Client[] = [
  /** For a first look around: it may do everything. */
  {
    id: 'demo',
    secret: 'demo',
    grants: ['client_credentials'],
    scopes: [...brokerScopes, ...provisionerScopes],
    groups: ['runtimeAdmin', 'runtimeOperator', 'orchestrationsAdmin'],
    redirectUris: [],
  },
  /** The broker, as the provisioner knows it. */
  {
    id: 'broker',
    secret: 'broker-demo-secret',
    grants: ['client_credentials'],
    scopes: provisionerScopes,
    redirectUris: [],
  },
  {
    id: 'platform',
    secret: 'platform-demo-secret',
    grants: ['client_credentials'],
    scopes: brokerScopes,
    redirectUris: [],
  },
  {
    id: 'reader',
    secret: 'reader-demo-secret',
    grants: ['client_credentials'],
    scopes: ['cld:read'],
    redirectUris: [],
  },
  {
    id: 'kcp',
    grants: ['password', 'authorization_code', 'refresh_token', deviceGrant],
    scopes: [...identityScopes, ...brokerScopes],
    redirectUris: onLoopback('/', '/callback'),
  },
  {
    id: 'console',
    grants: ['authorization_code', 'refresh_token'],
    scopes: [...identityScopes, ...brokerScopes],
    redirectUris: onLoopback('/', '/callback', '/console/', '/console/callback'),
  },
];

const user = (name: string, fullName: string, groups: string[], scopes: string[] = []): User => ({
  name,
  password: `${name}-demo-password`,
  fullName,
  email: `${name}@kyma.example`,
  groups,
  scopes,
});

export const users: readonly User[] = [
  user('admin', 'Ada Admin', ['runtimeAdmin', 'orchestrationsAdmin'], brokerScopes),
  user('operator', 'Otto Operator', ['runtimeOperator']),
  user('orchestrator', 'Olga Orchestrator', ['orchestrationsAdmin']),
  user('viewer', 'Vera Viewer', ['runtimeViewer']),
  user('customer', 'Carl Customer', [], brokerScopes),
  user('guest', 'Gina Guest', []),
];
