package dev.pvcpopulators.iscsitarget.scsi;

/// How a command may be ordered among others (SAM-5, section 8.6).
public enum TaskAttribute {
  SIMPLE,
  ORDERED,
  HEAD_OF_QUEUE,
  ACA
}
