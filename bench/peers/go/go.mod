module vif/peers/works

go 1.19
