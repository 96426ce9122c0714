import type { BaseImageBuild, Capacity, EngineHealth } from '../../../contract/engine.ts'
import type { Settings } from '../options.ts'
import type { Admission } from './admission.ts'

/** Says which images of an engine on this host can be used, and what is being built for it. */
export function healthOf({ unavailableImages, imageBuilds }: Settings): EngineHealth {
  return {
    ready: true,
    unavailable: Object.fromEntries(unavailableImages),
    ...(imageBuilds && {
      preparing: [...imageBuilds].filter(([, { state }]) => isUnderWay(state)).map(([image]) => image),
      builds: [...imageBuilds.values()],
    }),
  }
}

const isUnderWay = (state: BaseImageBuild['state']) => state === 'waiting' || state === 'building'

/** How many machines with a disk of this size fit, of one image if it is given. */
export async function capacityOf(
  { unavailableImages }: Settings,
  admission: Admission,
  diskMiB: number,
  image: string | undefined,
): Promise<Capacity> {
  const reason = image === undefined ? undefined : unavailableImages.get(image)
  return reason === undefined ? await admission.forecast(diskMiB) : { fits: 0, reason }
}
