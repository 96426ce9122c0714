import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildImage } from '@sandglass/machines/images'
import { LocalEngine } from '@sandglass/machines/local'
import { freePort } from '@sandglass/machines/testing'
import { cleanup } from '../../../packages/server/src/testing/cleanup.ts'
import { testImages } from '../../../packages/server/src/testing/test-machines.ts'
import { endService } from '../../support/end-service.ts'
import { blocksOf } from './blocks.ts'
import { newCheckout } from './new-checkout.ts'
import { TerminalSession } from './terminal-session.ts'

/** What a person does in a browser after the block that contains these words, with what it has printed. */
export type ByHand = Readonly<Record<string, (printed: () => string) => Promise<void>>>

/** Somebody who reads pages of the guide and pastes their blocks, in a checkout with real machines. */
export class Reader {
  readonly #folder: string
  readonly #env: Readonly<Record<string, string>>

  private constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder
    this.#env = env
  }

  static async create(): Promise<Reader> {
    await buildImage('desktop', { imagesDir: testImages })
    const folder = await newCheckout()
    const data = join(folder, 'data')
    const engine = new LocalEngine({ dataDir: join(data, 'local'), imagesDir: testImages, uplink: 'none' })
    cleanup.defer(() => engine.dismantle())
    cleanup.defer(() => endService(data))
    return new Reader(folder, {
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      HOME: folder,
      SANDGLASS_PORT: String(await freePort()),
      SANDGLASS_LIVE_UDP_PORT: 'none',
      SANDGLASS_VMS: 'off',
      SANDGLASS_UPLINK: 'none',
      SANDGLASS_IMAGES: testImages,
      SANDGLASS_DISK_OVERCOMMIT: '10',
    })
  }

  /** The service that pages other than the tutorial need. */
  async startService(): Promise<void> {
    const session = new TerminalSession(this.#folder, this.#env)
    await session.paste('npm run --silent sandglass -- up --detach')
    session.close()
  }

  /** Pastes a page from its beginning to its end, and compares what is printed with what the page says. */
  async paste(page: string, byHand: ByHand = {}): Promise<void> {
    const session = new TerminalSession(this.#folder, this.#env)
    const before = await readdir(this.#folder)
    const done = new Set<string>()
    let printed = ''
    for (const { kind, name, text } of await blocksOf(page)) {
      if (kind === 'file') await writeFile(join(this.#folder, name), text)
      else if (kind === 'printed') assertPrinted(printed, text, page)
      else {
        printed = await session.paste(text)
        // A call of curl that was refused prints the reason, and its exit code is 0.
        assert.doesNotMatch(printed, /"code": ?"[a-zA-Z]+\.[A-Z_]+"/, text)
        for (const [words, act] of Object.entries(byHand)) {
          if (!text.includes(words)) continue
          done.add(words)
          await act(() => session.printed).catch(cause => {
            throw new Error(`${page}, after ${words}: it printed ${session.printed}`, { cause })
          })
        }
      }
    }
    session.close()
    assert.deepEqual([...done], Object.keys(byHand), `${page} lacks a block`)
    // Data and screenshots aside, a page leaves nothing in the checkout of its reader.
    const left = (await readdir(this.#folder)).filter(name => !before.includes(name))
    assert.deepEqual(
      left.filter(name => name !== 'data' && name !== '.npm'),
      [],
      `${page} leaves files`,
    )
  }
}

/** The lines are there, one after the other. `…` stands for anything. */
function assertPrinted(printed: string, expected: string, page: string): void {
  const pattern = expected
    .trimEnd()
    .split('…')
    .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  assert.match(printed, new RegExp(pattern), page)
}
