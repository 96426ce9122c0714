import type { Sandbox as Desktop } from '@e2b/desktop'
import { waitFor } from '@sandglass/machines/testing'

/** A window that reports the buttons and keys that it receives. */
export interface Events {
  /** Where its content begins on the screen. */
  readonly left: number
  readonly top: number
  /** What it received since it was last asked, such as `press 1 at 200,300` or `key Return`. */
  readonly taken: () => string[]
  readonly close: () => Promise<void>
}

const title = 'events'
const received =
  /Button(Press|Release) event,[\s\S]*?root:\((\d+,\d+)\),\s+state \w+, button (\d+), same_screen|KeyPress event,[\s\S]*?\(keysym \w+, (\w+)\)/g

export async function openEvents(desktop: Desktop): Promise<Events> {
  let output = ''
  const xev = await desktop.commands.run(
    `stdbuf -oL xev -name ${title} -geometry 500x300+100+100 -event button -event keyboard`,
    {
      background: true,
      timeoutMs: 0,
      onStdout: text => {
        output += text
      },
    },
  )
  const find = async () => (await desktop.commands.run(`xwininfo -name ${title} || true`)).stdout
  await waitFor(async () => (await find()).includes('IsViewable'))
  await desktop.commands.run(`wmctrl -a ${title}`)
  const found = await find()
  const placeOf = (axis: string) =>
    Number(new RegExp(`Absolute upper-left ${axis}: +(\\d+)`).exec(found)?.[1])
  let count = 0
  return {
    left: placeOf('X'),
    top: placeOf('Y'),
    taken: () => {
      const all = output.matchAll(received).map(([, press, place, button, key]) => {
        return press === undefined ? `key ${key}` : `${press.toLowerCase()} ${button} at ${place}`
      })
      const fresh = all.drop(count).toArray()
      count += fresh.length
      return fresh
    },
    close: async () => {
      await xev.kill()
      await waitFor(async () => !(await find()).includes('IsViewable'))
    },
  }
}
