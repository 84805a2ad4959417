/** @file Formats figures for people. */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const STEP = 1024;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SHORT_DIGEST = 12;

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/**
 * Formats a number of bytes with a binary unit, as Kubernetes and qemu-img do: `1.5 GiB`.
 *
 * @param {number} bytes
 */
export function size(bytes) {
  let value = bytes;
  let unit = 0;
  // Values from 1023.95 are shown in the next unit, because they would be rounded to 1,024.0.
  // Numbers of bytes are not rounded.
  while (Math.abs(value) >= (unit === 0 ? STEP : STEP - 0.05) && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  return `${unit === 0 ? whole.format(value) : oneDecimal.format(value)} ${UNITS[unit]}`;
}

/** @param {number} bytesPerSecond */
export function rate(bytesPerSecond) {
  return `${size(bytesPerSecond)}/s`;
}

/** @param {number} value an integer */
export function count(value) {
  return whole.format(value);
}

/**
 * Returns a duration in its two largest units: `2 min 5 s`.
 *
 * @param {number} seconds
 */
export function duration(seconds) {
  const all = Math.max(0, Math.round(seconds));
  if (all < MINUTE) {
    return `${all} s`;
  }
  if (all < HOUR) {
    return `${Math.floor(all / MINUTE)} min ${all % MINUTE} s`;
  }
  if (all < DAY) {
    return `${Math.floor(all / HOUR)} h ${Math.floor((all % HOUR) / MINUTE)} min`;
  }
  return `${Math.floor(all / DAY)} d ${Math.floor((all % DAY) / HOUR)} h`;
}

/**
 * Returns a time in the reader's own time zone and format.
 *
 * @param {string} instant in ISO 8601; another text is returned as it is
 */
export function time(instant) {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? instant : moment.format(date);
}

/**
 * Returns the beginning of a digest, for a list of digests: `sha256:0123456789ab`.
 *
 * @param {string} digest
 */
export function shortDigest(digest) {
  const colon = digest.indexOf(":");
  return colon < 0 ? digest : digest.slice(0, colon + 1 + SHORT_DIGEST);
}

/**
 * Returns whole percents, rounded down, so that 100 means all; 0 if `total` is 0.
 *
 * @param {number} done
 * @param {number} total
 */
export function percent(done, total) {
  return total > 0 ? Math.max(0, Math.min(100, Math.floor((100 * done) / total))) : 0;
}
