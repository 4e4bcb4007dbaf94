/** Works as it is. There is no TLS here, and clients want to be told that this is known. */
export const kubeconfigFor = (
  name: string,
  server: string,
  token: string,
): string => `apiVersion: v1
kind: Config
current-context: ${name}
clusters:
  - name: ${name}
    cluster:
      server: ${server}
      insecure-skip-tls-verify: true
contexts:
  - name: ${name}
    context: { cluster: ${name}, user: ${name} }
users:
  - name: ${name}
    user: { token: ${token} }
`;
