import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const painter = join(import.meta.dirname, '../../test/live/support/painter.py')
const page = join(import.meta.dirname, 'page.py')

/** The area of the moving picture, and the squares along its top that encode the frame number. */
export const filmAt = { x: 320, y: 200, width: 640, height: 360, squares: [320, 208, 256, 1] } as const
/** The same over the whole screen. */
export const wholeFilmAt = { x: 0, y: 0, width: 1280, height: 720, squares: [0, 8, 256, 1] } as const
type FilmAt = typeof filmAt | typeof wholeFilmAt
const filmArea = ({ x, y, width, height }: FilmAt) => `${x} ${y} ${width} ${height}`
/** A pixel of the block that changes its colour with each key and button. */
export const blockAt = { x: 30, y: 30 }
/** A column of the scrolling text. */
export const scrollAt = [20, 40, 200, 300] as const

const onKey = `
import os, sys, tty
tty.setraw(0)
sys.stdout.write('\\x1b[?1000h\\x1b[?25l')
count = 0
while True:
    sys.stdout.write(f'\\x1b[1;1H\\x1b[48;5;{16 + count * 37 % 216}m' + (' ' * 40 + '\\r\\n') * 8)
    sys.stdout.flush()
    os.read(0, 64)
    count += 1
`
const scroll = `
import random, sys, time
rate, count = float(sys.argv[1]), int(sys.argv[2])
chance = random.Random(1)
words = [''.join(chance.choices('abcdefghijklmnop', k=chance.randint(2, 11))) for _ in range(500)]
began = time.monotonic()
for line in range(count):
    print(line, *random.Random(line).sample(words, 9), flush=True)
    time.sleep(max(0, began + line / rate - time.monotonic()))
time.sleep(1 << 20)
`

/** Where a guest writes files and runs scripts. */
export interface GuestShell {
  write(path: string, content: Buffer): Promise<void>
  shell(script: string): Promise<string>
}

/** Runs programs on the machine's screen, one at a time. */
export class Guest {
  readonly #machine: GuestShell

  constructor(machine: GuestShell) {
    this.#machine = machine
  }

  async prepare(): Promise<void> {
    const machine = this.#machine
    await machine.write('/tmp/painter.py', await readFile(painter))
    await machine.write('/tmp/page.py', await readFile(page))
    await machine.write('/tmp/on-key.py', Buffer.from(onKey))
    await machine.write('/tmp/scroll.py', Buffer.from(scroll))
  }

  /** A terminal whose first lines change their colour with each key and button. */
  onKey(): Promise<void> {
    return this.#run('xterm -geometry 150x45+0+0 -e python3 /tmp/on-key.py')
  }

  /** Scrolls text in a large terminal, with this many lines per second and in total. */
  scroll(rate: number, lines: number): Promise<void> {
    return this.#run(`xterm -geometry 150x45+0+0 -e python3 /tmp/scroll.py ${rate} ${lines}`)
  }

  /** A moving picture over a corner of such a terminal. */
  async filmOverKeys(rate: number): Promise<void> {
    const film = `python3 /tmp/painter.py ${filmArea(filmAt)} ${rate} >/dev/null 2>&1`
    await this.#run(`xterm -geometry 150x45+0+0 -e sh -c '${film} & exec python3 /tmp/on-key.py'`)
  }

  async film(rate: number, frames: number, at: FilmAt = filmAt): Promise<void> {
    await this.#run(`python3 /tmp/painter.py ${filmArea(at)} ${rate} ${frames}`)
    await this.#isPainting()
  }

  /** Scrolls a page of text and pictures over the whole screen, repainting every frame. */
  async page(rate: number): Promise<void> {
    await this.#run(`python3 /tmp/page.py ${rate}`)
    await this.#isPainting()
  }

  async stop(): Promise<void> {
    await this.#machine.shell('kill $(cat /tmp/program.pid) 2>/dev/null; rm -f /tmp/program.pid')
    await setTimeout(500)
  }

  async #isPainting(): Promise<void> {
    while (!(await this.#machine.shell('cat /tmp/program.log')).includes('painting')) await setTimeout(200)
  }

  async #run(command: string): Promise<void> {
    await this.stop()
    await this.#machine.shell(`${command} >/tmp/program.log 2>&1 & echo $! > /tmp/program.pid`)
    // Wait until the terminal is drawn.
    await setTimeout(2000)
  }
}
