import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { TestDesktop } from './test-desktop.ts'

const file = '/home/user/typed.txt'

describe('typing', () => {
  let desktop: TestDesktop
  before(async () => {
    desktop = await TestDesktop.start()
    await desktop.shell(`: > ${file}`)
    await desktop.open(`l3afpad ${file}`, 'l3afpad')
  })
  after(() => desktop?.close())
  beforeEach(async () => {
    await desktop.press('ctrl+a')
    await desktop.press('Delete')
  })

  /** The text in the editor, as the editor saves it. */
  const saved = async (isThere: (content: string) => boolean): Promise<string> => {
    let content = ''
    await desktop
      .until(async () => {
        await desktop.press('ctrl+s')
        content = await desktop.shell(`cat ${file}`)
        return isThere(content)
      })
      .catch(() => {})
    return content
  }

  const roundTrips = async (content: string): Promise<void> => {
    await desktop.type(content)
    assert.equal(await saved(found => found === content), content)
  }

  it('is exact for every key of the layout, tabs and line breaks', async () => {
    const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')
    await roundTrips(`${ascii}\n\tone tab, two\t\tand\n\n${ascii}`)
  })

  it('is exact for 10,000 characters', async () => {
    const line = 'The quick Brown Fox jumps over {the} lazy dog; 0123456789!? '
    await roundTrips(`${line.repeat(3)}\n`.repeat(56).slice(0, 10_000))
  })

  it('is exact for thousands of distinct characters that are on no keyboard', async () => {
    const from = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => String.fromCodePoint(first + i)).join('')
    await roundTrips(`${from(0x4e00, 2000)}\n${from(0x1f300, 400)}\n${from(0xac00, 300)}\nÀéîœß€ жук ξ שלום`)
  })

  it('is exact for text that mixes scripts, symbols and emoji', async () => {
    const seed = Number(process.env['TYPING_SEED'] ?? Date.now() % 100_000)
    const content = mixture(seed, 1500)
    await desktop.type(content)
    assert.equal(await saved(found => found === content), content, `TYPING_SEED=${seed}`)
  })

  it('treats CR LF as one line break, and breaks a line without Enter unless Enter is asked for', async () => {
    await desktop.type('one\r\ntwo\rthree\nfour', false)
    assert.equal(await saved(found => found.endsWith('four')), 'one\ntwo\nthree\nfour')
  })

  it('is exact with Caps Lock on, and leaves it on', async () => {
    await desktop.press('Caps_Lock')
    try {
      await roundTrips('Caps Lock changes Nothing: éÉ 漢字')
      await desktop.press('a')
      assert.equal(await saved(found => found.endsWith('A')), 'Caps Lock changes Nothing: éÉ 漢字A')
    } finally {
      await desktop.press('Caps_Lock')
    }
  })

  it('is exact while modifiers are held, and they are held again afterwards', async () => {
    await desktop.perform({ type: 'key:down', key: 'ctrl+shift' })
    await desktop.type('Neither Shift nor Control')
    await desktop.perform({ type: 'key:up', key: 'shift' })
    await desktop.press('a')
    await desktop.perform({ type: 'key:up', key: 'ctrl' })
    await desktop.type('all was selected')
    assert.equal(await saved(found => found === 'all was selected'), 'all was selected')
  })

  it('is not mixed up by a person who types at the same time', async () => {
    const content = `${'Nobody Else touches this line, 漢字 and all. '.repeat(20)}\n`.repeat(4)
    const typist = desktop.shell('for i in $(seq 60); do xdotool key --delay 0 Q; done')
    await desktop.type(content)
    await typist
    const found = await saved(
      all => all.replaceAll('Q', '') === content && all.length === content.length + 60,
    )
    assert.equal(found.replaceAll('Q', ''), content)
    assert.equal(found.length, content.length + 60)
  })

  it('is exact in a terminal emulator, which answers no pings', async () => {
    const typed = '/home/user/terminal.txt'
    await desktop.open(`LC_ALL=C.UTF-8 xterm -u8 -e sh -c 'stty -icanon -echo; cat > ${typed}'`, 'xterm')
    await desktop.until(async () => (await desktop.shell(`ls ${typed} 2>&1`)).trim() === typed)
    const content = `${Array.from({ length: 500 }, (_, i) => String.fromCodePoint(0x5000 + i)).join('')} done\n`
    await desktop.type(content)
    let found = ''
    await desktop
      .until(async () => {
        found = await desktop.shell(`cat ${typed}`)
        return found === content
      })
      .catch(() => {})
    assert.equal(found, content)
  })

  it('refuses text that no keyboard can type, and types none of it', async () => {
    await assert.rejects(desktop.type('bell\u0007'), { code: 'INVALID', message: /U\+0007 at 4/ })
    await assert.rejects(desktop.type('half \ud83d'), { code: 'INVALID', message: /surrogate/ })
    await assert.rejects(desktop.type('x'.repeat(100_001)), { code: 'INVALID', message: /100000/ })
  })
})

/** Letters, symbols, other scripts, emoji with joiners, combining marks, in an order that depends on the seed. */
function mixture(seed: number, length: number): string {
  const scripts = [
    [0x20, 0x7e],
    [0xa1, 0xff],
    [0x100, 0x17f],
    [0x3b1, 0x3c9],
    [0x430, 0x44f],
    [0x5d0, 0x5ea],
    [0x621, 0x64a],
    [0x904, 0x939],
    [0xe01, 0xe2e],
    [0x3041, 0x3096],
    [0x4e00, 0x9fa5],
    [0xac00, 0xd7a3],
    [0x1f300, 0x1f5ff],
    [0x20000, 0x20100],
  ] as const
  const marks = ['\u0301', '\u200d', '\ufe0f', '👩\u200d👩\u200d👧', '🇩🇪', '\n', '\t', '"\'`\\']
  let state = seed
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  return Array.from({ length }, () => {
    if (random(12) === 0) return marks[random(marks.length)] ?? ''
    const [first, last] = scripts[random(scripts.length)] ?? [0x20, 0x7e]
    return String.fromCodePoint(first + random(last - first + 1))
  }).join('')
}
