import { join, resolve } from 'node:path'
import { buildImage } from '@sandglass/machines/images'
import { installMissing } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import { testImages, testShapes } from '../../packages/server/src/testing/test-machines.ts'
import { IsolatedHost, type SharedFolder } from './isolated-host.ts'

/** Where the host has a copy of the checkout. */
export const checkout = '/opt/sandglass'

/** Where it has the images of machines. */
export const images = '/srv/images'

/** A host with systemd as its first process, the checkout, and the images of machines. It is booted when this resolves. */
export async function deploymentHost(shared: readonly SharedFolder[] = []): Promise<IsolatedHost> {
  await installMissing()
  await buildImage('minimal', { imagesDir: testImages })
  const host = await IsolatedHost.start({
    image: 'deployment-host',
    shared: [
      { how: 'copy', from: resolve(import.meta.dirname, '../..'), to: checkout },
      { how: 'rw', from: testImages, to: images },
      ...shared,
    ],
    init: ['/lib/systemd/systemd'],
  })
  try {
    // A unit of Debian that failed has nothing to do with ours.
    const state = () => host.run('sh', '-c', 'systemctl is-system-running || true')
    await waitFor(async () => ['running', 'degraded'].includes((await state()).trim()))
    return host
  } catch (error) {
    await host.dispose()
    throw error
  }
}

/** The settings of a service on such a host, which has no way out for machines. Its data are in `folder`, which the service sees as `data`. */
export async function machineSettings(
  host: IsolatedHost,
  folder = host.data,
  data = folder,
): Promise<Record<string, string>> {
  await testShapes(host.path(folder), 0)
  return {
    SANDGLASS_DATA: data,
    SANDGLASS_MACHINES: 'local',
    SANDGLASS_VMS: 'off',
    SANDGLASS_START_TIMEOUT: '120',
    SANDGLASS_UPLINK: 'none',
    SANDGLASS_IMAGES: images,
    SANDGLASS_SHAPES: join(data, 'shapes.json'),
  }
}
