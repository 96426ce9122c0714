import { buildImage } from '@sandglass/machines/images'
import { IncusEngine } from '@sandglass/machines/incus'
import { readTable } from '../../setting-table.ts'
import { readSettings } from '../../settings.ts'
import { optionsOf } from '../local/definition.ts'
import { localSettings } from '../local/settings.ts'
import type { ClusterCommandContext } from './cluster-command.ts'
import { incusSettings } from './settings.ts'

/** Builds an image on this box, if it is not there yet, and pushes it to the cluster. Only root can do both. */
export async function pushImage(
  image: string,
  address: { readonly socket: string },
  { env, tell }: ClusterCommandContext,
): Promise<void> {
  const { imagesDir } = optionsOf(readTable(localSettings, env), readSettings(env))
  tell(`Building the image ${image}, unless it is there already.`)
  await buildImage(image, { imagesDir })
  const engine = new IncusEngine({
    address,
    project: readTable(incusSettings, env).SANDGLASS_INCUS_PROJECT,
    imagesDir,
  })
  try {
    tell(`Pushing the image ${image} to the cluster, unless it is there already.`)
    await engine.prepareImage(image)
    tell(`The cluster has the image ${image}.`)
  } finally {
    await engine.close()
  }
}
