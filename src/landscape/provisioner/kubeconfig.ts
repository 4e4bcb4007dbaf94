import { randomUUID } from 'node:crypto';

/** An administrator's, for a cluster that is not simulated here: its address leads nowhere. */
export const newKubeconfig = (shoot: string): string => `apiVersion: v1
kind: Config
current-context: ${shoot}
clusters:
  - name: ${shoot}
    cluster:
      server: https://api.${shoot}.kyma.example.com
      certificate-authority-data: ${Buffer.from(`authority of ${shoot}`).toString('base64')}
contexts:
  - name: ${shoot}
    context: { cluster: ${shoot}, user: admin }
users:
  - name: admin
    user: { token: ${randomUUID()} }
`;
