import { fileMethods } from '../files/index.ts'
import { liveMethods } from '../live/methods.ts'
import { machineMethods, machineNotices } from '../machine-methods.ts'
import { portMethods } from '../ports/index.ts'
import { processMethods } from '../processes/index.ts'
import { rawMethods } from '../raw/raw-methods.ts'
import { reachMethods, reachNotices } from '../reach/reach-methods.ts'
import { screenMethods } from '../screen/screen-methods.ts'

/** Everything that the front can ask of a worker. */
export const workerMethods = {
  ...machineMethods,
  ...screenMethods,
  ...rawMethods,
  ...fileMethods,
  ...processMethods,
  ...portMethods,
  ...liveMethods,
  ...reachMethods,
}
export type WorkerMethods = typeof workerMethods

/** What a worker tells the front. */
export const workerNotices = { ...machineNotices, ...reachNotices }
export type WorkerNotices = typeof workerNotices
