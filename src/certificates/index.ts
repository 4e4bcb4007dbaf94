// Certificates and requests for them, as far as we write any: Node reads them, but writes none. What they are for is left to
// those who ask.

export { certificateRequest, type Subject } from './certificate-request.ts';
export { selfSignedCertificate } from './self-signed-certificate.ts';
