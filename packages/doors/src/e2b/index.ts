export { addressIn, type PortAddress } from './address.ts'
export { errorView } from './control/error-view.ts'
export { hasPublicTraffic, labelsOf, timeoutIn } from './control/labels.ts'
export { ListQuery, labelsIn } from './control/list-query.ts'
export { logView } from './control/log-view.ts'
export { metricView } from './control/metric-view.ts'
export { egressOf, Network } from './control/network.ts'
export { defaultTimeoutSeconds, NewSandbox } from './control/new-sandbox.ts'
export {
  connectionView,
  daemonPort,
  daemonVersion,
  detailView,
  listedView,
  type MachineSize,
  type SandboxAccess,
  type SandboxState,
  stateOf,
  templateOf,
} from './control/sandbox-view.ts'
export { Seconds } from './control/seconds.ts'
export { controlPrefix, daemonPrefix, servedPath } from './paths.ts'
