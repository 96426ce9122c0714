import { path, type SettingTable } from '../../setting-table.ts'

export const adbSettings = {
  SANDGLASS_PHONES: {
    about:
      'A JSON file with pools of phones that are reached by ADB (docs/phones.md). Without it there are none.',
    schema: path,
  },
  SANDGLASS_SCRCPY_SERVER: {
    about:
      'The scrcpy-server file by which phones are watched as video (docs/phones.md); the one that a package of scrcpy has installed unless set. Without one they are watched by screencap.',
    schema: path,
  },
} as const satisfies SettingTable
