package dev.pvcpopulators.iscsitarget.session;

/// The outcomes of logins since the server was opened, including discovery sessions.
///
/// @param entered logins that started a session
/// @param unauthenticated logins refused for a wrong or missing proof of identity, or for a target
///   that does not exist or that this initiator is not allowed to see
/// @param refused logins refused for any other reason, such as too many sessions
public record LoginStatistics(long entered, long unauthenticated, long refused) {}
