export { addressHeaders, addressIn, type PortAddress } from './address.ts'
export { errorView } from './control/error-view.ts'
export { labelsOf, timeoutIn } from './control/labels.ts'
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
export { connectErrorOf } from './daemon/connect-error.ts'
export { connectMethods } from './daemon/connect-routes.ts'
export { type Daemon, daemonKey, reachedKey } from './daemon/daemon.ts'
export type { NewProgram, Program, ProgramChoice, ProgramOutput, Programs } from './daemon/programs.ts'
export { type Refusal, refusalOf, unknownMethod } from './daemon/refusal.ts'
export { userIn } from './daemon/request.ts'
export { isScreenshot, screenshotPathOf } from './daemon/screenshot-command.ts'
export { isSignedWith, type SignedFile } from './daemon/signature.ts'
export { GuestUsers } from './daemon/users.ts'
export type { Watchers } from './daemon/watchers.ts'
export { controlPrefix, daemonPrefix, servedPath } from './paths.ts'
export { portRefusal } from './ports/refusal.ts'
export { buildView, linesPerAnswer } from './templates/build-view.ts'
export { baseOf, forcedSteps, TemplateBuild } from './templates/template-build.ts'
export { imageNameOf, NewTemplate, nameOf, tagOf } from './templates/template-name.ts'
export { stepsOf } from './templates/template-steps.ts'
