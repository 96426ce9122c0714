import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Sandbox } from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { temporaryFolder } from '../support/service-process.ts'
import { desktopShapes } from './desktop-shape.ts'
import { World } from './support/world.ts'

/** `npm run screenshots`: the animation of the README, from a real takeover. */
const target = join(import.meta.dirname, '../../screenshots/takeover.gif')

const framesPerSecond = 5

/** What the agent is asked to run. It needs something that only a person has. */
const release = `#!/bin/sh
echo "Building version 1.4 …"; sleep 1
printf "Code from your phone: "; read -r code
[ "$code" = 482913 ] || exit 1
echo "Signed in."; sleep 1
echo "Version 1.4 is published."
`

test('an agent asks for a person, who takes over and hands back', async () => {
  const world = await World.start(await desktopShapes())
  const { sandboxId, owner } = world
  const box = await Sandbox.connect(sandboxId, { client: owner })
  await box.files.write('/home/user/release', release)
  await box.run('chmod +x ~/release; xterm -fa Monospace -fs 13 -geometry 62x14+180+150 >/dev/null 2>&1 &')
  await waitFor(async () => (await box.run('xwininfo -root -tree')).stdout.includes('xterm'))
  const browser = await world.browserOf(world.installation.credentials.apiKey, {
    viewport: { width: 1180, height: 800 },
  })
  const page = await world.open(`/sandboxes/${sandboxId}?tab=screen`, browser)
  await page.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 0)

  const frames = await record(page, async () => {
    await box.mouse.click(400, 300)
    await box.keyboard.type('./release\n')
    await pause(page, 2500)
    await owner.setSandboxControl({
      sandboxId,
      body: { holder: 'user', message: 'Please type the code from your phone.' },
    })
    await pause(page, 2000)
    await page.getByRole('button', { name: 'Take control' }).click()
    const canvas = page.locator('canvas').first()
    await canvas.click({ position: { x: 300, y: 220 } })
    await page.keyboard.type('482913\n', { delay: 180 })
    await pause(page, 1500)
    await page.getByRole('button', { name: 'Hand back' }).click()
    await pause(page, 1000)
    await box.keyboard.type('echo "Thank you, I go on."\n')
    await pause(page, 2500)
  })
  await mkdir(join(target, '..'), { recursive: true })
  const filter =
    'scale=900:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=96[p];[b][p]paletteuse=dither=none:diff_mode=rectangle'
  const input = ['-framerate', String(framesPerSecond), '-i', join(frames, '%04d.png')]
  await promisify(execFile)('ffmpeg', ['-y', '-loglevel', 'error', ...input, '-vf', filter, target])
  await rm(frames, { recursive: true })
})

/** Takes pictures of the page at a steady rate while the work is done. */
async function record(page: Page, work: () => Promise<void>): Promise<string> {
  const folder = await temporaryFolder()
  let isOver = false
  const recording = (async () => {
    for (let frame = 1; !isOver; frame++) {
      const next = performance.now() + 1000 / framesPerSecond
      await page.screenshot({ path: join(folder, `${String(frame).padStart(4, '0')}.png`) })
      await pause(page, Math.max(0, next - performance.now()))
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await recording
  }
  return folder
}

/** A moment that the viewer of the animation needs. */
function pause(page: Page, ms: number): Promise<void> {
  return page.waitForTimeout(ms)
}
