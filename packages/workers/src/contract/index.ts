export { fitted } from '../encoding/fitted.ts'
export { maxRawFileBytes, RawFrame } from '../raw/raw-frame.ts'
export type {
  Capture,
  CaptureChoice,
  EncodedPicture,
  PictureConverter,
  RawChoice,
  RawPicture,
  RawPictures,
} from './capture.ts'
export { isPictureFormat, mediaTypes, type PictureFormat, pictureFormats } from './picture-format.ts'
export type { RunningMachine } from './running-machine.ts'
export type {
  Looked,
  LookRequest,
  Performed,
  RunningScreen,
  SettleRequest,
} from './running-screen.ts'
export type { Thumbnail } from './thumbnail.ts'
export type { Workers } from './workers.ts'
