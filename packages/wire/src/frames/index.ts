export * from './areas.ts'
export { PixelCanvas } from './canvas.ts'
export * from './clipboard.ts'
export * from './control.ts'
export * from './cursor.ts'
export { Fields, pack } from './fields.ts'
export { channel, encodeFrame, type Frame, FrameStream, maxPayloadBytes, parseFrame } from './frame.ts'
export { FrameError } from './frame-error.ts'
export * from './input.ts'
export {
  encodePicture,
  encodePictureAnswer,
  type ImageFormat,
  type PictureAnswer,
  type PictureFrame,
  parsePicture,
  parsePictureAnswer,
  sequenceOf,
  shownBy,
  withSequence,
} from './picture.ts'
export * from './statistics.ts'
export * from './tiles.ts'
