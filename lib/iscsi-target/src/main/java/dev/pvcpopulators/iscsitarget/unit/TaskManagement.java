package dev.pvcpopulators.iscsitarget.unit;

/// Task management functions (SAM-5, section 7.1; RFC 7143, section 11.5.1) that concern more than
/// one task.
public enum TaskManagement {
  ABORT_TASK_SET,
  CLEAR_ACA,
  CLEAR_TASK_SET,
  LOGICAL_UNIT_RESET,
  TARGET_WARM_RESET,
  TARGET_COLD_RESET
}
