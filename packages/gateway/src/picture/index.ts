export type { PictureFeed, PictureSink } from './feed.ts'
export { Picture, type PictureOptions } from './picture.ts'
export { warmUp } from './warm-up.ts'
