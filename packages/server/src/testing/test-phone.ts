import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { UiElement } from '@sandglass/protocol'
import sharp from 'sharp'
import { makeSandbox } from './make-sandbox.ts'
import { startMachineService } from './test-machines.ts'
import type { Answer, TestService } from './test-service.ts'

export const px = (value: number) => ({ type: 'px', value })
const onlyElements = { includeScreenShot: false, includeCursorPosition: false, includeUiTree: true }

export const at = (x: number, y: number) => ({ x: px(x), y: px(y) })

/** A phone simulator in its own service, with what tests do with it over HTTP. */
export class TestPhone {
  readonly service: TestService
  readonly id: string

  private constructor(service: TestService, id: string) {
    this.service = service
    this.id = id
  }

  static async start(): Promise<TestPhone> {
    const { service } = await startMachineService({ hasPhone: true })
    return new TestPhone(service, await makeSandbox(service, { shapeName: 'phone' }))
  }

  act(action: object, more: object = {}): Promise<Answer> {
    return this.service.post(`~/sandboxes/${this.id}/actions/execute`, { action, ...more })
  }

  /** Executes an action, and fails the test if it does not succeed. */
  async do(action: object, more: object = {}): Promise<Answer['body']> {
    const { status, body } = await this.act(action, more)
    assert.equal(status, 200, JSON.stringify([action, body]))
    return body
  }

  batch(actions: readonly object[]): Promise<Answer> {
    return this.service.post(`~/sandboxes/${this.id}/actions/batch`, { actions })
  }

  /** Runs a script in the phone's shell, and returns its output. */
  async shell(script: string): Promise<string> {
    const { status, body } = await this.service.post(`~/sandboxes/${this.id}/process`, {
      executable: 'sh',
      args: ['-c', script],
    })
    assert.equal(status, 200, JSON.stringify(body))
    return Buffer.from(body.stdoutBase64, 'base64').toString()
  }

  /** Returns the package name of the app in the foreground. */
  async front(): Promise<string> {
    return /mFocusedApp=\S+ u0 ([\w.]+)/.exec(await this.shell('dumpsys window'))?.[1] ?? ''
  }

  untilInFront(packageName: string): Promise<void> {
    return waitFor(async () => (await this.front()) === packageName)
  }

  /** Waits for an element with this id, name or text, and returns its centre. */
  async find(name: string): Promise<{ x: number; y: number }> {
    let found: UiElement | undefined
    await waitFor(async () => {
      const { uiTree, uiTreeError } = await this.do({ type: 'screenshot' }, onlyElements)
      assert.equal(uiTreeError, undefined)
      found = uiTree.find(
        (element: UiElement) =>
          element.id?.endsWith(`:id/${name}`) || [element.name, element.text].includes(name),
      )
      return found !== undefined
    })
    const { x, y, width, height } = found?.bounds ?? assert.fail()
    return { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) }
  }

  /** Taps the element with this id, name or text. */
  async tap(name: string): Promise<void> {
    const { x, y } = await this.find(name)
    await this.do({ type: 'touch:tap', ...at(x, y) })
  }

  /** Opens a new empty note, and focuses its title. */
  async openNote(): Promise<void> {
    await this.do({ type: 'os:closeApp', packageName: 'com.sandglass.notes' })
    await this.shell('rm -rf /data/data/com.sandglass.notes/files')
    await this.do({ type: 'os:startApp', packageName: 'com.sandglass.notes' })
    await this.tap('New note')
    await this.tap('note-title')
  }

  /** Returns the only note that the notes app has stored. */
  async note(): Promise<{ title: string; text: string }> {
    return JSON.parse(await this.shell('cat /data/data/com.sandglass.notes/files/*.json'))
  }

  /** Fetches and decodes an image to three bytes per pixel. */
  async pixels(url: string): Promise<{ width: number; height: number; data: Buffer }> {
    const answer = await fetch(url)
    assert.equal(answer.status, 200)
    const { data, info } = await sharp(await answer.arrayBuffer())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, data }
  }
}
