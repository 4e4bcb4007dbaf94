// For tests of the clients: this system alone.
export { controlPlane, controlPlaneWith, token } from './control-plane.ts';
export { demoKymaVersion } from './demo-configuration.ts';
