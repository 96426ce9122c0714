import { claimRows } from './cluster/claims.ts'
import { keyRows } from './cluster/keys.ts'
import { withCluster } from './cluster/setting.ts'
import type { Row } from './row.ts'

const size = { cpus: 1, memoryMiB: 512, diskMiB: 512, pids: 256 }
const shapes = [
  { ...size, name: 'local' },
  { ...size, name: 'cluster', engine: 'incus' },
  { ...size, name: 'warm-local', warm: 1 },
  { ...size, name: 'warm-cluster', engine: 'incus', warm: 3 },
]

/**
 * What needs a service: sandboxes from the warm pool, and the live view. The machines are in a real cluster of three members, all of
 * them namespaces of this host, and beside it containers that this host makes itself from the same image.
 */
export default (): Promise<Row[]> =>
  withCluster(shapes, async setting => [...(await keyRows(setting)), ...(await claimRows(setting))])
