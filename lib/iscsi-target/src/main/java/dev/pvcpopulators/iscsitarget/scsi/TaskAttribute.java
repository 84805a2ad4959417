package dev.pvcpopulators.iscsitarget.scsi;

/// The ordering of a command among other commands (SAM-5, section 8.6).
public enum TaskAttribute {
  SIMPLE,
  ORDERED,
  HEAD_OF_QUEUE,
  ACA
}
