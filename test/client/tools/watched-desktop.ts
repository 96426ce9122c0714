import assert from 'node:assert/strict'
import { before } from 'node:test'
import { Sandglass } from '@sandglass/client'
import type { OpenaiInputItem } from '@sandglass/client/tools'
import { waitFor } from '@sandglass/machines/testing'
import sharp from 'sharp'
import { startMachineService } from '../../../packages/server/src/testing/test-machines.ts'

export const { service } = await startMachineService()
export const client = new Sandglass(service.service.credentials)
const sandbox = await client.createSandbox({
  body: { shapeName: 'small', wait: 60, screen: { width: 1600, height: 900 } },
})
export const box = { id: sandbox.id, client }

export async function run(command: string): Promise<string> {
  const { stdoutBase64 } = await client.execSandboxProcess({
    sandboxId: box.id,
    body: { executable: 'bash', args: ['-lc', command] },
  })
  return Buffer.from(stdoutBase64, 'base64').toString()
}

const counted = { buttons: 0, keys: 0 }

/** What a window has seen since the last call: buttons that were pressed, and keys. */
export async function seen(): Promise<{ buttons: number[]; keys: string[] }> {
  const text = await run('cat events')
  const buttons = [...text.matchAll(/ButtonPress[\s\S]*?button (\d)/g)].map(([, button]) => Number(button))
  const keys = [...text.matchAll(/KeyPress event[\s\S]*?keysym 0x\w+, (\w+)/g)].map(([, key]) => String(key))
  const fresh = { buttons: buttons.slice(counted.buttons), keys: keys.slice(counted.keys) }
  Object.assign(counted, { buttons: buttons.length, keys: keys.length })
  return fresh
}
export const pointer = async () =>
  /x:(\d+) y:(\d+)/
    .exec(await run('xdotool getmouselocation'))
    ?.slice(1)
    .map(Number)

before(async () => {
  await run('nohup xev -geometry 1400x700+100+100 -event mouse -event keyboard > events 2>&1 &')
  await waitFor(async () => (await run('xdotool search --name "Event Tester"')) !== '')
})

/** What an action does to the screen of 1600x900, of which the model sees a picture of 1280x720. */
export interface Case {
  readonly call: Record<string, unknown>
  readonly buttons?: readonly number[]
  readonly keys?: readonly string[]
  readonly pointer?: readonly number[]
}

export async function assertEffect({ buttons = [], keys = [], pointer: place }: Case): Promise<void> {
  const all = { buttons: [] as number[], keys: [] as string[] }
  await waitFor(async () => {
    const more = await seen()
    all.buttons.push(...more.buttons)
    all.keys.push(...more.keys)
    return all.buttons.length >= buttons.length && all.keys.length >= keys.length
  })
  assert.deepEqual(all, { buttons, keys })
  if (place) assert.deepEqual(await pointer(), place)
}

export async function sizeOf(base64: string): Promise<number[]> {
  const { width, height } = await sharp(Buffer.from(base64, 'base64')).metadata()
  return [width, height]
}

export function textOf(content: readonly { readonly type: string; readonly text?: string }[] = []): string {
  return content.map(({ text = '' }) => text).join('')
}

export function functionText(item: OpenaiInputItem): string {
  return item.type === 'function_call_output' && item.output[0]?.type === 'input_text'
    ? item.output[0].text
    : ''
}

export function base64In(url: string, mediaType: string): string {
  const start = `data:${mediaType};base64,`
  assert.ok(url.startsWith(start))
  return url.slice(start.length)
}
