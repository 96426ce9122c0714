import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import { FakeRoom, type FakeViewer, fill } from './fake-room.ts'
import { openPlain, servePlainPage } from './plain-page.ts'

export const browser = await openBrowser()
export const plainUrl = await servePlainPage()

export interface Opened {
  readonly room: FakeRoom
  readonly page: Page
  readonly viewer: FakeViewer
}

type Welcome = Parameters<FakeViewer['welcome']>[0]

/** A plain page that is connected to its own room; by default it has control. */
export async function opened(welcome?: Welcome): Promise<Opened> {
  const room = await FakeRoom.start()
  const page = await openPlain(browser, plainUrl, room.connectDetails, { name: 'Ada' })
  await arrived(room, 1)
  room.last.welcome(welcome)
  return { room, page, viewer: room.last }
}

/** The same with a picture of 640 by 360, shown unscaled from the corner of the window. */
export async function openedWithPicture(welcome?: Welcome): Promise<Opened> {
  const all = await opened(welcome)
  await all.page.setViewportSize({ width: 640, height: 360 })
  all.viewer.tiles(640, 360, fill(0, 0, 640, 360, 1, 2, 3))
  await waitFor(async () => all.viewer.acknowledged === 1)
  return all
}

/** Waits until this many have connected and the last one has sent its hello. */
export async function arrived(room: FakeRoom, count: number): Promise<void> {
  await waitFor(async () => room.viewers.length >= count && room.last.said.length > 0)
}
