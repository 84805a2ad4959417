package dev.pvcpopulators.iscsitarget.mode;

/// The parameters that MODE SELECT can change.
///
/// @param writeCache WCE of the caching page
/// @param softwareWriteProtect SWP of the control page
/// @param taskAbortedStatus TAS of the control page: whether a command that another nexus has
///   aborted ends with the status TASK ABORTED
public record ModeParameters(
    boolean writeCache, boolean softwareWriteProtect, boolean taskAbortedStatus) {}
