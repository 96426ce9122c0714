import { oneOf } from './value.ts'

/** The names of arguments that say where an operation starts or happens, the preferred first. */
export const startNames = oneOf(
  'start_box point coordinate box start_point element start start_coordinate box_2d bbox coordinates position ' +
    'from location point1 coordinate1 startCoordinate start_coords start_coordinates POINT start_position startbox ' +
    'from_coord normalized_point',
)

/** The names of those that say where it ends. */
export const endNames = oneOf(
  'end_box end_point coordinate2 end end_coordinate point2 endCoordinate end_coords end_coordinates target destination to ' +
    'end_position endbox to_coord',
)

/** Whether what stands under the name of this number is a place, or else a mistake or a direction. */
export function isPlaceName(number: number): boolean {
  return startNames[number] !== 0 || endNames[number] !== 0
}
