/** Works as it is, for kubectl too. */
export const kubeconfigFor = (
  name: string,
  server: string,
  { token, certificate }: { readonly token: string; readonly certificate: string },
): string => `apiVersion: v1
kind: Config
current-context: ${name}
clusters:
  - name: ${name}
    cluster:
      server: ${server}
      certificate-authority-data: ${Buffer.from(certificate).toString('base64')}
contexts:
  - name: ${name}
    context: { cluster: ${name}, user: ${name} }
users:
  - name: ${name}
    user: { token: ${token} }
`;
