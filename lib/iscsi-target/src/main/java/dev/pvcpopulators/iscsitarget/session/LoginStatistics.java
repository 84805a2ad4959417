package dev.pvcpopulators.iscsitarget.session;

/// The outcomes of logins since the server was opened, including discovery sessions.
///
/// @param entered logins that started a session
/// @param unauthenticated logins refused for one of these reasons: the proof of identity is wrong
///   or missing, the target does not exist, or the initiator is not allowed to see the target
/// @param refused logins refused for any other reason, such as too many sessions
public record LoginStatistics(long entered, long unauthenticated, long refused) {}
