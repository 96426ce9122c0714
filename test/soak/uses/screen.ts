import type { Use } from './use.ts'

export const acting: Use = {
  name: 'acting',
  weight: 6,
  async run({ box, random, tally }) {
    const [x, y] = [Math.floor(random() * 1200), Math.floor(random() * 700)]
    const dice = random()
    if (dice < 0.6) await box.mouse.move(x, y)
    else if (dice < 0.8) await box.mouse.click(x, y)
    else await box.keyboard.type(`soak ${x} ${y} äöü 漢字`)
    const shot = await box.screenshot()
    const isPicture = Buffer.from(shot.bytes.subarray(8, 12)).toString() === 'WEBP'
    if (!isPicture) tally.wrong('a screenshot', `is no picture, but ${shot.mimeType}`)
  },
}

/** Screenshots that nobody fetches. */
export const glancing: Use = {
  name: 'glancing',
  weight: 3,
  async run({ box }) {
    await box.client.previewSandbox({ sandboxId: box.id })
  },
}

/** The size of the screen, the list of sandboxes, the timeline and other reads of a dashboard. */
export const reading: Use = {
  name: 'reading',
  weight: 2,
  async run({ box }) {
    const input = { sandboxId: box.id }
    await box.client.getSandbox(input)
    await box.client.listSandboxes({})
    await box.client.getLimits({})
    await box.client.listSandboxActions(input)
    await box.client.listEvents({})
  },
}
