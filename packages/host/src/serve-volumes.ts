import { type Engine, MachineError, type Volumes } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import type { VolumeMethods } from './volume-methods.ts'

type Use = <Result>(work: (engine: Engine) => Promise<Result>) => Promise<Result>

/** Answers the requests of the front about volumes. */
export function volumeHandlers(use: Use): Handlers<VolumeMethods> {
  const useVolumes = <Result>(work: (volumes: Volumes) => Promise<Result>) =>
    use(async ({ volumes }) => {
      if (!volumes) throw new MachineError('INVALID', 'this engine has no volumes')
      return await work(volumes)
    })
  return {
    createVolume: ({ spec }, { signal }) => useVolumes(volumes => volumes.create(spec, { signal })),
    removeVolume: ({ volume }) => useVolumes(volumes => volumes.remove(volume)),
    listVolumes: () => useVolumes(volumes => volumes.list()),
  }
}
