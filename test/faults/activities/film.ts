import { readFile } from 'node:fs/promises'
import { waitFor } from '@sandglass/machines/testing'
import type { World } from '../world.ts'
import type { Activity } from './activity.ts'
import { enterWithVideo } from './viewer.ts'

const painter = new URL('../../live/support/painter.py', import.meta.url)

/** Six frames take this long at most on a box so busy that its encoder produces one in five seconds. */
const slowFilmMs = 30_000

/** A moving picture on the screen, and a viewer that receives it as video. */
export async function watchingAFilm(world: World): Promise<Activity> {
  await world.ask({
    what: 'writeSandboxFile',
    method: 'PUT',
    path: '/files/content?path=painter.py',
    bytes: await readFile(painter),
    isAudited: true,
  })
  const play = 'setsid python3 painter.py 100 100 640 360 25 >/dev/null 2>&1 & echo $! > painter.pid'
  await world.run(play)
  let viewer = await enterWithVideo(world)
  const isAlive = async () => {
    if (viewer?.isClosed !== false) viewer = await enterWithVideo(world)
    if (!viewer) return false
    // The moving picture ends with the display.
    await world.run(`kill -0 $(cat painter.pid) 2>/dev/null || { ${play}; }`)
    const before = viewer.videos
    return await viewer.until(() => (viewer?.videos ?? 0) > before + 5, slowFilmMs).catch(() => false)
  }
  await waitFor(isAlive)
  return {
    isAlive,
    end: async () => {
      viewer?.close()
      await world.run('kill $(cat painter.pid) 2>/dev/null || true')
    },
  }
}
