package dev.pvcpopulators.iscsitarget.mode;

/// The parameters that MODE SELECT can change.
///
/// @param writeCache WCE of the caching page
/// @param softwareWriteProtect SWP of the control page
/// @param taskAbortedStatus TAS of the control page: whether a command is answered after another
///   nexus has aborted it
public record ModeParameters(
    boolean writeCache, boolean softwareWriteProtect, boolean taskAbortedStatus) {}
