/** What the installer of a version is made of. The Installation at its end is one that nobody has asked for yet. */
export const installerYaml = (version: string): string => `---
apiVersion: v1
kind: Namespace
metadata:
  name: kyma-installer
  labels: { istio-injection: disabled, kyma-project.io/installation: "" }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: kyma-installer, namespace: kyma-installer }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: kyma-installer-reader }
rules:
  - { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: kyma-installer }
subjects:
  - { kind: ServiceAccount, name: kyma-installer, namespace: kyma-installer }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: kyma-installer-reader }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: kyma-installer, namespace: kyma-installer }
spec:
  replicas: 1
  selector: { matchLabels: { name: kyma-installer } }
  template:
    metadata: { labels: { name: kyma-installer } }
    spec:
      serviceAccountName: kyma-installer
      containers:
        - name: kyma-installer-container
          image: registry.example.com/kyma-installer:${version}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: installation-config-overrides
  namespace: kyma-installer
  labels: { installer: overrides }
data: { global.isLocalEnv: "false" }
---
# Last, as in some releases: whoever applies this has to find out what goes first.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: installations.installer.kyma-project.io }
spec:
  group: installer.kyma-project.io
  scope: Namespaced
  names: { kind: Installation, singular: installation, plural: installations }
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: installer.kyma-project.io/v1alpha1
kind: Installation
metadata:
  name: kyma-installation
  namespace: default
spec:
  version: "${version}"
  url: ""
  components:
    - { name: cluster-essentials, namespace: kyma-system }
`;

export const tillerYaml = `---
apiVersion: v1
kind: ServiceAccount
metadata: { name: tiller, namespace: kube-system }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: tiller-deploy, namespace: kube-system }
spec:
  selector: { matchLabels: { app: helm, name: tiller } }
  template:
    metadata: { labels: { app: helm, name: tiller } }
    spec:
      containers: [{ name: tiller, image: registry.example.com/tiller:v2.10.0 }]
`;

export const componentsYaml = `defaultNamespace: kyma-system
prerequisites:
  - name: cluster-essentials
  - name: istio
    namespace: istio-system
components:
  - name: service-catalog
  - name: certificates
    namespace: istio-system
  - name: logging
  - name: eventing
  - name: compass-runtime-agent
    namespace: compass-system
  - name: serverless
`;

/** As an upload that broke off. */
export const malformedYaml = `---
apiVersion: v1
kind: Namespace
metadata: { name: kyma-installer
components: [
`;
