use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Folders;
use HTTP::Tiny;

my $http = HTTP::Tiny->new;
for my $request (Folders::requests()) {
    my %options = (headers => {@{$request->{fields}}});
    $options{content} = $request->{body} if defined $request->{body};
    my $answer = $http->request($request->{method}, $request->{url}, \%options);
    die $answer->{content} if $answer->{status} == 599;
    Folders::answered($request, $answer->{status}, $answer->{content} // '', %{$answer->{headers}});
}
