import { MachineError, type Volumes } from '@sandglass/machines/contract'
import type { Handlers } from '@sandglass/rpc'
import type { UseEngine } from './opened-engines.ts'
import type { VolumeMethods } from './volume-methods.ts'

/** Answers the requests of the front about volumes. */
export function volumeHandlers(use: UseEngine): Handlers<VolumeMethods> {
  const useVolumes = <Result>(name: string, work: (volumes: Volumes) => Promise<Result>) =>
    use(name, async ({ volumes }) => {
      if (!volumes) throw new MachineError('INVALID', 'this engine has no volumes')
      return await work(volumes)
    })
  return {
    createVolume: ({ engine, spec }, { signal }) =>
      useVolumes(engine, volumes => volumes.create(spec, { signal })),
    removeVolume: ({ volume }) => useVolumes(volume.engine, volumes => volumes.remove(volume)),
    listVolumes: ({ engine }) => useVolumes(engine, volumes => volumes.list()),
  }
}
