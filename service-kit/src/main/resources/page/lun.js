/** @file The figures of a LUN beside its bar, from the details of registry-stream-iscsi. */

import { count, size } from "./format.js";

/**
 * Returns one line of figures; empty for a part that is not a LUN.
 *
 * @param {import("./volume.js").Part} part
 * @param {Record<string, any>} details
 */
export function lunFacts(part, details) {
  const luns = Array.isArray(details.luns) ? details.luns : [];
  const lun = part.kind === "lun" && luns.find((each) => String(each.lun) === part.name);
  if (!lun) {
    return "";
  }
  const told = [];
  if (lun.image !== undefined) {
    told.push(String(lun.image), String(lun.accessMode), String(lun.copyMode));
  }
  if (lun.iops !== undefined) {
    told.push(
      `${count(lun.iops)} operations/s`,
      `${size(lun.bytesRead)} read`,
      `${size(lun.bytesWritten)} written`,
    );
  }
  if (lun.waiting > 0) {
    told.push(`${count(lun.waiting)} commands wait for data`);
  }
  if (lun.reason !== undefined) {
    told.push(String(lun.reason));
  }
  return told.join(" · ");
}
